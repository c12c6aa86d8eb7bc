//! Whether words say where something is: an IP address, a host with a port, a URL, a name that was looked up.
//!
//! The rule: what can only be an address is one wherever it stands, and what may be something else (`redis:6379`,
//! `items:10`; `db.internal`, `user.name`) is one by its port or by the words before it. Times, versions, places in a file
//! and paths of properties are what a model needs to mend its input, and are none.

use std::net::Ipv6Addr;

/// Ports below 1024 that services of a network listen at.
const LOW_PORTS: [u32; 16] = [21, 22, 25, 53, 80, 88, 110, 143, 389, 443, 465, 587, 636, 873, 993, 995];

/// Ports that a name without a dot is taken for a host with. Those that are also a usual limit (3000, 5000), or a usual
/// line or column, are not.
const SERVICE_PORTS: [u32; 27] = [
    389, 443, 1433, 1521, 2181, 2379, 3306, 4222, 4317, 4318, 5432, 5433, 5672, 6379, 6380, 6443, 7687, 8080, 8081,
    8443, 9042, 9092, 9200, 11211, 15672, 27017, 50051,
];

/// What a line of a file is told of with (`index.ts:1200`).
const FILES: [&str; 96] = [
    "asm", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cljs", "cmd", "conf", "cpp", "cs", "css", "csv", "cts",
    "cxx", "dart", "diff", "edn", "env", "erl", "ex", "exs", "fs", "go", "gql", "gradle", "graphql", "groovy", "h",
    "hcl", "hh", "hpp", "hs", "htm", "html", "hxx", "ini", "ipynb", "java", "jl", "js", "json", "json5", "jsonl",
    "jsx", "kt", "kts", "less", "lock", "log", "lua", "m", "md", "mdx", "mjs", "ml", "mli", "mm", "mts", "ndjson",
    "patch", "php", "pl", "pm", "proto", "ps1", "py", "r", "rb", "rs", "rst", "s", "sass", "scala", "scss", "sh",
    "sql", "svelte", "svg", "swift", "tex", "tf", "toml", "ts", "tsv", "tsx", "txt", "vb", "vue", "xml", "xsd", "yaml",
    "yml", "zig",
];

/// Those of them that domains end with, too: with two dots, a name is one of a host (`db.example.rs`).
const DOMAINS: [&str; 10] = ["cc", "md", "ml", "mm", "pl", "pm", "py", "rs", "sh", "tf"];

/// Words that a name is next to when it could not be found or reached.
const AFTER_FAILURE: [&str; 15] = [
    "eai_again",
    "eai_fail",
    "eai_nodata",
    "eai_noname",
    "econnaborted",
    "econnrefused",
    "econnreset",
    "ehostdown",
    "ehostunreach",
    "enetunreach",
    "enotfound",
    "epipe",
    "etimedout",
    "unknownhostexception",
    "getaddrinfo",
];

/// Words after which a name with a dot, or with any port, is one of a host.
const AFTER: [&str; 18] = [
    "connect",
    "connecting",
    "connection",
    "dial",
    "dialing",
    "host",
    "hostname",
    "lookup",
    "peer",
    "proxy",
    "reach",
    "reaching",
    "resolve",
    "resolving",
    "tcp",
    "udp",
    "upstream",
    "dns",
];

/// What may stand between such a word and the name.
const BETWEEN: [&str; 9] = ["address", "at", "for", "from", "name", "of", "server", "the", "to"];

/// Whether words hold an address.
pub(super) fn holds_address(words: &str) -> bool {
    let lower = words.to_lowercase();
    lower.contains("localhost") || holds_url(&lower) || holds_ipv4(&lower) || holds_ipv6(&lower) || holds_host(&lower)
}

/// `https://host`, but not `^https?://.+` or "must start with https://".
fn holds_url(words: &str) -> bool {
    words.match_indices("://").any(|(at, mark)| {
        words[at + mark.len()..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '_' | '-'))
    })
}

fn holds_ipv4(words: &str) -> bool {
    let is_part = |part: &str| (1..=3).contains(&part.len()) && part.parse::<u16>().is_ok_and(|part| part <= 255);
    runs(words, |c| c.is_ascii_digit() || c == '.').any(|(at, run)| {
        // A version of four parts.
        let is_version = words[..at].ends_with('v') && !words[..at - 1].ends_with(char::is_alphanumeric);
        let is_ip = |ip: &str| ip.split('.').count() == 4 && ip.split('.').all(is_part);
        !is_version && run.split("..").any(|ip| is_ip(ip.trim_matches('.')))
    })
}

fn holds_ipv6(words: &str) -> bool {
    runs(words, |c| c.is_ascii_hexdigit() || matches!(c, ':' | '.')).any(|(at, run)| {
        let follows_word = words[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let precedes_word = words[at + run.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // A path of names (`std::fmt`).
        if precedes_word || follows_word && !run.starts_with(':') {
            return false;
        }
        let run = run.trim_end_matches('.');
        let run = if run.ends_with("::") { run } else { run.trim_end_matches(':') };
        let run = if run.starts_with("::") { run } else { run.trim_start_matches(':') };
        // What Node writes for an address with a port: eight groups, and a ninth.
        let is_ip = |run: &str| {
            run.parse::<Ipv6Addr>().is_ok()
                || run.rsplit_once(':').is_some_and(|(ip, port)| is_digits(port) && ip.parse::<Ipv6Addr>().is_ok())
        };
        // A path of names may have short ones of these letters alone (`Abc::De`).
        let is_written = run.bytes().any(|byte| byte.is_ascii_digit())
            || run.contains("::") && run.split(':').any(|group| group.len() == 4);
        is_written && is_ip(run)
    })
}

/// A host by its port, or by what stands before it.
fn holds_host(words: &str) -> bool {
    // How far a name behind it is one of a host.
    let (mut failed, mut named) = (false, false);
    for (at, token) in runs(words, |c| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '_')) {
        let (before, after) = (&words[..at], &words[at + token.len()..]);
        let has_path = after.strip_prefix('/').is_some_and(|path| path.starts_with(char::is_alphabetic));
        let is_place = before.ends_with('@') || before.ends_with("//") || has_path;
        let assigns = named && before.ends_with('=');
        let token = token.trim_matches(['.', '-', '_', ':']);
        if token.is_empty() {
            continue;
        }
        let parts: Vec<&str> = token.split(':').map(|part| part.trim_matches(['.', '-', '_'])).collect();
        let is_reached = failed || named;
        let is_place = is_place || is_reached;
        let in_file = is_in_directories(before);
        let is_found = |at: usize, pair: &[&str]| {
            let [name, port] = *pair else { return false };
            // A line and a column, of a file with any ending.
            let is_line = in_file || parts.get(at + 2).is_some_and(|next| is_digits(next));
            is_host(name, port, is_place) && (is_place || !is_line)
        };
        if parts.windows(2).enumerate().any(|(at, pair)| is_found(at, pair)) {
            return true;
        }
        let last = parts.last().copied().unwrap_or_default();
        let first = parts.first().copied().unwrap_or_default();
        // Errors of Java have their package before them.
        let is_mark = |list: &[&str]| last.rsplit('.').next().is_some_and(|last| list.contains(&last));
        if failed
            && !AFTER_FAILURE.contains(&first)
            && !AFTER.contains(&first)
            && !BETWEEN.contains(&first)
            && is_name(first)
        {
            return true;
        }
        if named && is_name(first) && (assigns || has_domain(first)) {
            return true;
        }
        if is_mark(&AFTER_FAILURE) {
            failed = true;
        } else if is_mark(&AFTER) {
            named = true;
        } else if !is_mark(&BETWEEN) {
            (failed, named) = (false, false);
        }
    }
    false
}

fn is_digits(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether words end in a path of directories: `src/mcp/`, `./`, `../`. A single name is none (`tcp/db.internal:5432`).
fn is_in_directories(words: &str) -> bool {
    let is_directory = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let Some(path) = words.strip_suffix('/') else { return false };
    let above = path.trim_end_matches(is_directory);
    let last = &path[above.len()..];
    !last.is_empty() && (last.bytes().all(|byte| byte == b'.') || above.ends_with('/') && !above.ends_with("//"))
}

fn is_name(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// Whether a name has a dot that is not one of a file.
fn has_domain(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, last)| is_name(last) && !is_file(name))
}

/// Whether a name ends as one of a file does, and not as one of a host.
fn is_file(name: &str) -> bool {
    let Some((first, last)) = name.rsplit_once('.') else { return false };
    FILES.contains(&last) && !(first.contains('.') && DOMAINS.contains(&last))
}

/// Whether a name and a port are a host. `is_place`: whether they stand where one does.
fn is_host(name: &str, port: &str, is_place: bool) -> bool {
    if !is_digits(port) {
        return false;
    }
    let Some(port) = port.parse::<u32>().ok().filter(|port| (1..=65535).contains(port)) else { return false };
    if !is_name(name) || !is_place && is_file(name) {
        return false;
    }
    if is_place {
        return port >= 10;
    }
    if name.contains('.') { port >= 1024 || LOW_PORTS.contains(&port) } else { SERVICE_PORTS.contains(&port) }
}

/// The longest runs of characters of a kind, each with its place.
fn runs(words: &str, is_of: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + words[from..].find(&is_of)?;
        let end = words[start..].find(|c| !is_of(c)).map_or(words.len(), |length| start + length);
        from = end;
        Some((start, &words[start..end]))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_found() {
        for words in [
            "POST 10.0.0.5:8080/mcp timed out",
            "GET 10.0.0.5/v1 failed",
            "connect ECONNREFUSED 10.0.0.5:5432",
            "connect ECONNREFUSED ::1:5432",
            "db.internal:5432/app is away",
            "user@10.0.0.5 refused",
            "root@db:5433",
            "postgres:pw@db:1234/app",
            "getaddrinfo ENOTFOUND db.internal.example.org",
            "getaddrinfo EAI_AGAIN db",
            "java.net.UnknownHostException: db",
            "dial tcp: lookup db.internal on 10.0.0.2:53: no such host",
            "dial tcp: lookup db.internal: no such host",
            "Could not resolve host: db.example.org",
            "connection to server at \"db.internal\", port 5432 failed",
            "could not connect to web:7000",
            "dial tcp db.example.rs:5432 refused",
            "connect to db.acme.sh:5432",
            "connect to acme.sh:5432",
            "app:pw@db.x.cc:5432",
            "lookup db.acme.pl: no such host",
            "via api.acme.pl:8443",
            "upstream host=db is away",
            "{\"host\":\"10.0.0.5\"}",
            "[10.0.0.5]",
            "via 10.0.0.5->10.0.0.6",
            "10.0.0.1..10.0.0.9",
            "fe80::1%eth0",
            "[::1]:8080",
            "2001:db8::8a2e:370:7334 is away",
            "connect ECONNREFUSED 2001:db8:1:2:3:4:5:6:5432",
            "via fdab::cafe:beef.",
            "10.0.0.5|x",
            "db:5432",
            "redis:6379",
            "error:redis:6379.",
            "GET web:3000/mcp",
            "my-db_1:27017",
            "see HTTPS://x",
            "postgres://user:pw@db:5432/x",
            "Localhost",
            "bücher.example:8443",
            "server at 127.0.0.1.",
        ] {
            assert!(holds_address(words), "{words}");
        }
    }

    #[test]
    fn what_a_model_needs_is_no_address() {
        for words in [
            "",
            "at 12:30, or 12:30:45, or 2026-07-28T12:30:45Z",
            "12:30/13:30",
            "version 1.2.3, v1.2.3.4, 1.2 and 1.2.3-rc.1; 1.2.3.4.5; 300.1.1.1",
            "ratio 16:9, 4:3",
            "index.ts, src/index.ts:12:5, a.b.c, main.rs:1200, /etc/app.yaml:12",
            "config.yml:1200: bad indent",
            "App.tsx:1024:3, notes.txt:25, app.log:80, at page.astro:1024:3",
            "src/parts/page.astro:1024, ./Makefile:8080, ../up/Justfile:5432, /srv/app/run:9200",
            "line:25 column:53, limit:80, page:22",
            "user.name is required; at user.name: expected a text",
            "line 42: expected \"}\"",
            "page:10/20, src/Makefile:12",
            "line:42 column:7 status:404 limit:1000 timeout:3000 a.b:10",
            "std::fmt::Error, Abc::De, a::b, mod::a1::b2",
            "must match ^https?://.+ and start with https://",
            "alice@example.org is not known",
            "and/or, n/a, 1/2, 50%, key=value",
            "host is required; hostname: expected a text; proxy must be a text",
            "connection of user to team is not found",
            "de:ad:be:ef:00:01",
            "price: 10.50, 1.234.567,89",
            "password is required",
            "items[0].name: too long (max 10.0)",
        ] {
            assert!(!holds_address(words), "{words}");
        }
    }

    fn address() -> impl Strategy<Value = String> {
        let name = || "[a-z][a-z0-9-]{0,8}[a-z]";
        let port = || 1024_u32..65536;
        let ipv4 = || any::<[u8; 4]>().prop_map(|ip| std::net::Ipv4Addr::from(ip).to_string());
        let ipv6 = || (1_u16.., 1_u16.., 0_u16..10).prop_map(|(a, b, c)| format!("{a:x}:{b:x}::{c}"));
        let service = prop::sample::select(SERVICE_PORTS.to_vec());
        // Names of hosts do not end as those of files do.
        let domain = || (name(), prop::sample::select(vec!["internal", "example.org", "svc.cluster.local", "lan"]));
        prop_oneof![
            ipv4(),
            (ipv4(), port()).prop_map(|(ip, port)| format!("{ip}:{port}")),
            ipv6(),
            (ipv6(), port()).prop_map(|(ip, port)| format!("[{ip}]:{port}")),
            (domain(), port()).prop_map(|((host, domain), port)| format!("{host}.{domain}:{port}")),
            (name(), service).prop_map(|(host, port)| format!("{host}:{port}")),
            (domain()).prop_map(|(host, domain)| format!("ENOTFOUND {host}.{domain}")),
        ]
    }

    fn separator() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            " ", "\n", "\t", "/", "@", "|", ",", ";", "\"", "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", "=", "?",
            "!", "&", "#", "*", "+", "\\", "“", "”", "→", "->", ": ", ". ", "\u{a0}", "%", "$", "^", "~",
        ])
    }

    proptest! {
        #[test]
        fn an_address_between_any_two_separators_is_found(
            address in address(), left in separator(), right in separator(), before in "[a-zA-Zé ]{0,12}", after in "[a-zA-Zé ]{0,12}"
        ) {
            let words = format!("{before}{left}{address}{right}{after}");
            prop_assert!(holds_address(&words), "{words}");
        }

        #[test]
        fn any_words_are_read(words in "[0-9a-f:.@/v é]{0,40}|.{0,60}") {
            holds_address(&words);
        }

        #[test]
        fn words_without_digits_and_marks_hold_no_address(words in "([a-z]{1,12}[ ,;./()]){0,12}") {
            let speaks_of_hosts = AFTER.iter().chain(&AFTER_FAILURE).chain(&["localhost"]).any(|mark| words.contains(mark));
            prop_assert!(speaks_of_hosts || !holds_address(&words));
        }
    }
}
