//! TypeScript's types, each held once: two types are the same exactly when their numbers are.
//!
//! A type knows how long it is on one line, so that laying it out looks at nothing twice.

use indexmap::IndexSet;

use super::text::units;

/// The number of a type.
pub(super) type Id = u32;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Type {
    Unknown,
    Never,
    Null,
    Boolean,
    Number,
    String,
    /// A string, a number or a boolean, as TypeScript writes it.
    Literal(Box<str>, Kinds),
    Array(Id),
    Tuple(Box<[Id]>, Option<Id>),
    Record(Id),
    Object(Box<[Property]>, Option<Rest>),
    Union(Box<[Id]>),
    Intersection(Box<[Id]>),
    /// A type with a comment before it, on one line.
    Described(Box<str>, Id),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Property {
    /// As TypeScript writes it.
    pub(super) name: Box<str>,
    pub(super) is_optional: bool,
    pub(super) comment: Option<Box<str>>,
    pub(super) type_: Id,
}

/// The properties that have no name of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Rest {
    pub(super) comment: Option<Box<str>>,
    pub(super) type_: Id,
}

/// The kinds of JSON values that a type may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Kinds(u8);

impl Kinds {
    const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const NUMBER: Self = Self(4);
    pub(super) const STRING: Self = Self(8);
    const LIST: Self = Self(16);
    const OBJECT: Self = Self(32);
    const ALL: Self = Self(63);

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn is_within(self, other: Self) -> bool {
        self.and(other) == self
    }
}

#[derive(Debug, Clone, Copy)]
struct Facts {
    kinds: Kinds,
    /// Its length on one line.
    length: usize,
    /// Whether it holds a comment that takes lines.
    has_lines: bool,
    /// Alternatives that it comes to, once what is taken together is multiplied out.
    ways: usize,
}

/// Most alternatives of a type: the compiler multiplies them out, and gives up at a hundred thousand.
const MAX_WAYS: usize = 10_000;

/// Types by number. The first nine are always there.
#[derive(Debug)]
pub(super) struct Types {
    types: IndexSet<Type>,
    facts: Vec<Facts>,
    /// For each type, the last list that it was put on: what is on the list of now is known without a search.
    listed: Vec<u32>,
    list: u32,
}

impl Types {
    pub(super) const UNKNOWN: Id = 0;
    pub(super) const NEVER: Id = 1;
    pub(super) const NULL: Id = 2;
    pub(super) const BOOLEAN: Id = 3;
    pub(super) const NUMBER: Id = 4;
    pub(super) const STRING: Id = 5;
    pub(super) const ANY_OBJECT: Id = 6;
    const ANY_LIST: Id = 7;
    /// The last of those that say only of which kind a value is; a list of anything and an empty object are among them.
    const LAST_PLAIN: Id = 8;

    pub(super) fn new() -> Self {
        let mut types =
            Self { types: IndexSet::with_capacity(64), facts: Vec::with_capacity(64), listed: Vec::new(), list: 0 };
        let first = [
            Type::Unknown,
            Type::Never,
            Type::Null,
            Type::Boolean,
            Type::Number,
            Type::String,
            Type::Record(Self::UNKNOWN),
            Type::Array(Self::UNKNOWN),
            Type::Object(Box::default(), None),
        ];
        for type_ in first {
            types.add(type_);
        }
        types
    }

    pub(super) fn get(&self, id: Id) -> &Type {
        self.types.get_index(id as usize).unwrap_or(&Type::Unknown)
    }

    pub(super) fn add(&mut self, type_: Type) -> Id {
        let (at, is_new) = self.types.insert_full(type_);
        if is_new {
            self.facts.push(self.facts_of(&self.types[at]));
        }
        at as Id
    }

    /// How long it is on one line.
    pub(super) fn length(&self, id: Id) -> usize {
        self.facts[id as usize].length
    }

    /// Whether it holds a comment that takes lines of its own.
    pub(super) fn has_lines(&self, id: Id) -> bool {
        self.facts[id as usize].has_lines
    }

    fn kinds(&self, id: Id) -> Kinds {
        self.facts[id as usize].kinds
    }

    /// The type without the comment before it.
    pub(super) fn bare(&self, id: Id) -> Id {
        match self.get(id) {
            Type::Described(_, inner) => *inner,
            _ => id,
        }
    }

    /// Whether it stands in parentheses within a union, of which only one that is described is a part as it is.
    pub(super) fn is_enclosed(&self, id: Id) -> bool {
        matches!(self.get(self.bare(id)), Type::Intersection(_) | Type::Union(_))
    }

    /// What a union is of; nothing for any other type.
    pub(super) fn alternatives(&self, id: Id) -> &[Id] {
        match self.get(id) {
            Type::Union(alternatives) => alternatives,
            _ => &[],
        }
    }

    /// What is looked at where types are taken together: what a union or an intersection is of.
    pub(super) fn parts(&self, id: Id) -> &[Id] {
        match self.get(id) {
            Type::Union(parts) | Type::Intersection(parts) => parts,
            _ => &[],
        }
    }

    /// The type of a name in a schema, of which no more is known.
    pub(super) fn plain(name: &str) -> Id {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "number" | "integer" => Self::NUMBER,
            "string" => Self::STRING,
            "object" => Self::ANY_OBJECT,
            "array" => Self::ANY_LIST,
            _ => Self::UNKNOWN,
        }
    }

    /// The type that a value is of. None: it is no value that stands on its own.
    pub(super) fn kind_of_value(&self, id: Id) -> Option<Id> {
        match self.get(self.bare(id)) {
            Type::Null => Some(Self::NULL),
            Type::Literal(_, Kinds::BOOLEAN) => Some(Self::BOOLEAN),
            Type::Literal(_, Kinds::NUMBER) => Some(Self::NUMBER),
            Type::Literal(_, Kinds::STRING) => Some(Self::STRING),
            _ => None,
        }
    }

    /// Begins a list on which each type stands once.
    fn new_list(&mut self) -> Vec<Id> {
        self.listed.resize(self.types.len(), 0);
        self.list += 1;
        Vec::new()
    }

    fn put(&mut self, id: Id, list: &mut Vec<Id>) {
        if std::mem::replace(&mut self.listed[id as usize], self.list) != self.list {
            list.push(id);
        }
    }

    /// One of them: each once, null last, and nothing told where one of them may be anything.
    pub(super) fn union(&mut self, parts: &[Id]) -> Id {
        let mut alternatives = self.new_list();
        let mut has_null = false;
        for part in parts {
            let count = self.alternatives(*part).len();
            for at in 0..count.max(1) {
                let id = if count == 0 { *part } else { self.alternatives(*part)[at] };
                match self.get(self.bare(id)) {
                    Type::Unknown => return Self::UNKNOWN,
                    Type::Never => {}
                    _ if id == Self::NULL => has_null = true,
                    _ => self.put(id, &mut alternatives),
                }
            }
        }
        if has_null {
            alternatives.push(Self::NULL);
        }
        match alternatives[..] {
            [] => Self::NEVER,
            [one] => one,
            _ => self.add(Type::Union(alternatives.into())),
        }
    }

    /// All of them at once, each once. What says only of which kind a value is, is not told beside what says more, and
    /// neither is what has too many alternatives beside those of the others.
    pub(super) fn intersection(&mut self, base: Option<Id>, mut parts: Vec<Id>) -> Id {
        let base = base.filter(|base| *base != Self::UNKNOWN);
        let kinds = base.map_or(Kinds::ALL, |base| self.kinds(base));
        let mut is_told = base.is_none_or(|base| !self.is_plain(base));
        for part in &mut parts {
            *part = self.narrow(*part, kinds);
            is_told |= *part != Self::UNKNOWN && self.kinds(*part).is_within(kinds);
        }
        if let Some(base) = base.filter(|base| !is_told || !self.is_plain(*base)) {
            parts.insert(0, base);
        }
        let mut ways = 1_usize;
        parts.retain(|part| {
            let of_part = self.facts[*part as usize].ways;
            let together = ways.saturating_mul(of_part);
            let fits = together <= MAX_WAYS || ways == 1 || of_part <= 1;
            ways = if fits { together } else { ways };
            fits
        });
        let mut all = self.new_list();
        for part in parts {
            let count = if let Type::Intersection(of) = self.get(part) { of.len() } else { 0 };
            for at in 0..count.max(1) {
                match self.get(part) {
                    Type::Intersection(of) => self.put(of[at], &mut all),
                    Type::Unknown => {}
                    _ => self.put(part, &mut all),
                }
            }
        }
        match all[..] {
            _ if all.contains(&Self::NEVER) => Self::NEVER,
            [] => Self::UNKNOWN,
            [one] => one,
            _ => self.add(Type::Intersection(all.into())),
        }
    }

    /// Without the alternatives that have nothing of these kinds.
    fn narrow(&mut self, id: Id, kinds: Kinds) -> Id {
        let alternatives = self.alternatives(id);
        let fitting: Vec<Id> =
            alternatives.iter().copied().filter(|id| self.kinds(*id).and(kinds) != Kinds::NONE).collect();
        if alternatives.is_empty() || fitting.len() == alternatives.len() { id } else { self.union(&fitting) }
    }

    fn is_plain(&self, id: Id) -> bool {
        let is_plain = |id: &Id| (Self::NULL..=Self::LAST_PLAIN).contains(id);
        is_plain(&id) || (!self.alternatives(id).is_empty() && self.alternatives(id).iter().all(is_plain))
    }

    fn facts_of(&self, type_: &Type) -> Facts {
        let plain = |kinds, length| Facts { kinds, length, has_lines: false, ways: 1 };
        // Each of a list, with so many characters between two of them.
        let listed = |list: &[Id], between: usize| {
            let start = Facts { ways: 0, ..plain(Kinds::NONE, between * list.len().saturating_sub(1)) };
            list.iter().map(|id| self.facts[*id as usize]).fold(start, |sum, facts| Facts {
                kinds: sum.kinds.or(facts.kinds),
                length: sum.length.saturating_add(facts.length),
                has_lines: sum.has_lines || facts.has_lines,
                ways: sum.ways.saturating_add(facts.ways),
            })
        };
        let within = |id: Id, kinds, around: usize| {
            let facts = self.facts[id as usize];
            Facts { kinds, length: facts.length.saturating_add(around), has_lines: facts.has_lines, ways: 1 }
        };
        match type_ {
            Type::Unknown => plain(Kinds::ALL, 7),
            Type::Never => plain(Kinds::NONE, 5),
            Type::Null => plain(Kinds::NULL, 4),
            Type::Boolean => plain(Kinds::BOOLEAN, 7),
            Type::Number => plain(Kinds::NUMBER, 6),
            Type::String => plain(Kinds::STRING, 6),
            Type::Literal(text, kinds) => plain(*kinds, units(text)),
            Type::Array(item) => within(*item, Kinds::LIST, "Array<>".len()),
            Type::Tuple(items, rest) => {
                let mut facts = listed(items, ", ".len());
                if let Some(rest) = rest {
                    let rest = within(*rest, Kinds::LIST, ", ...Array<>".len());
                    facts.length = facts.length.saturating_add(rest.length);
                    facts.has_lines |= rest.has_lines;
                }
                Facts { kinds: Kinds::LIST, length: facts.length.saturating_add("[]".len()), ways: 1, ..facts }
            }
            Type::Record(value) => within(*value, Kinds::OBJECT, "Record<string, >".len()),
            Type::Object(properties, rest) => {
                let mut facts = plain(Kinds::OBJECT, "{  }".len());
                let named = properties.iter().map(|it| (units(&it.name), it.type_, it.comment.is_some()));
                let others = rest.iter().map(|it| ("[key: string]".len(), it.type_, it.comment.is_some()));
                for (name, type_, has_comment) in named.chain(others) {
                    let value = self.facts[type_ as usize];
                    facts.length = facts.length.saturating_add(name + "?: ; ".len()).saturating_add(value.length);
                    facts.has_lines |= has_comment || value.has_lines;
                }
                facts
            }
            Type::Union(list) => {
                let mut facts = listed(list, " | ".len());
                let in_parentheses = list.iter().filter(|id| self.is_enclosed(**id)).count();
                facts.length = facts.length.saturating_add(in_parentheses * "()".len());
                facts
            }
            Type::Intersection(list) => {
                let parts = || list.iter().map(|id| self.facts[*id as usize]);
                Facts {
                    kinds: parts().fold(Kinds::ALL, |kinds, part| kinds.and(part.kinds)),
                    ways: parts().fold(1, |ways, part| ways.saturating_mul(part.ways)),
                    ..listed(list, " & ()".len())
                }
            }
            Type::Described(comment, inner) => {
                let facts = self.facts[*inner as usize];
                let around = units(comment).saturating_add("/**  */ ".len());
                Facts { ways: facts.ways, ..within(*inner, facts.kinds, around) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_each_alternative_once_and_null_last() {
        let mut types = Types::new();
        let id = types.union(&[Types::NULL, Types::STRING, Types::NEVER, Types::STRING, Types::NUMBER]);
        assert_eq!(types.alternatives(id), [Types::STRING, Types::NUMBER, Types::NULL]);
        assert_eq!(types.union(&[id, Types::UNKNOWN]), Types::UNKNOWN);
        let with_more = types.union(&[id, Types::BOOLEAN, Types::STRING]);
        assert_eq!(types.union(&[id, Types::BOOLEAN]), with_more);
        assert_eq!(types.union(&[]), Types::NEVER);
    }

    #[test]
    fn knows_how_long_a_type_is_with_its_parentheses() {
        let mut types = Types::new();
        let objects = ["a", "b"].map(|name| {
            let property = Property { name: name.into(), is_optional: true, comment: None, type_: Types::STRING };
            types.add(Type::Object([property].into(), None))
        });
        let both = types.intersection(None, objects.to_vec());
        let id = types.union(&[both, Types::NULL]);
        assert_eq!(types.length(id), types.length(both) + "() | null".len());
    }

    #[test]
    fn keeps_what_is_plain_behind_more_alternatives_than_may_be_multiplied() {
        let mut types = Types::new();
        let mut wide = |count: usize, from: usize| {
            let all: Vec<Id> =
                (from..from + count).map(|at| types.add(Type::Literal(at.to_string().into(), Kinds::ALL))).collect();
            types.union(&all)
        };
        let (first, second) = (wide(MAX_WAYS + 1, 0), wide(3, MAX_WAYS + 1));
        let plain = types.add(Type::Record(Types::STRING));
        let all = types.intersection(None, vec![first, second, plain, Types::ANY_LIST]);
        assert_eq!(types.parts(all), [first, plain, Types::ANY_LIST]);
    }

    #[test]
    fn leaves_a_plain_kind_out_beside_what_says_more() {
        let mut types = Types::new();
        let literal = types.add(Type::Literal("\"a\"".into(), Kinds::STRING));
        let nullable = types.union(&[literal, Types::NULL]);
        assert_eq!(types.intersection(Some(Types::STRING), vec![literal]), literal);
        assert_eq!(types.intersection(Some(Types::STRING), vec![nullable]), literal);
        assert_eq!(types.intersection(Some(Types::STRING), vec![Types::UNKNOWN]), Types::STRING);
        assert_eq!(types.intersection(None, vec![]), Types::UNKNOWN);
        assert_eq!(types.intersection(None, vec![literal, Types::NEVER]), Types::NEVER);
    }
}
