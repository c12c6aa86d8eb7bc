//! Texts for tests of what reads JSON.

use proptest::prelude::*;

/// The text of some JSON, or of what is nearly some: odd spaces, escapes of every kind, names twice.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", "", " ", "\n\t", "\r "]);
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.50",
        "-2E+3",
        "1e400",
        "12345678901234567890",
        "\"\"",
        "\"a\"",
        "\"}\"",
        "\"]\\\"[\"",
        "\"\\\\\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud800\"",
        "\"\\udc00x\"",
        "\"é\\n\\/\"",
        "01",
        "nul",
        "\"",
        "}",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let key =
            prop::sample::select(vec!["\"a\"", "\"\\u0061\"", "\"b\"", "\"\"", "\"{\"", "\"__proto__\"", "\"\\\"\""]);
        let member =
            (key, inner.clone(), space()).prop_map(|(key, value, space)| format!("{key}{space}:{space}{value}"));
        let list = (prop::collection::vec(inner, 0..4), space());
        let object = (prop::collection::vec(member, 0..4), space());
        prop_oneof![
            list.prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))),
            object.prop_map(|(members, space)| format!("{{{space}{}{space}}}", members.join(&format!(",{space}")))),
        ]
    })
}
