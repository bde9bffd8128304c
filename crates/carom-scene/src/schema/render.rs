//! A JSON Schema (draft 2020-12) from tables.

use serde_json::{Map, Value, json};

use super::table::{Object, Rule, Type};

/// Whether objects may have keys that the tables do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openness {
    /// They may not: the reader of the document rejects them.
    Closed,
    /// They may: later versions of the writer may add some.
    Open,
}

/// The schema of documents in one of several forms, as text. The keys of a form are those of all its tables together.
pub fn json_schema(title: &str, description: &str, forms: &[&[&Object]], openness: Openness) -> String {
    let mut renderer = Renderer { openness, definitions: Map::new() };
    let mut schema = match forms {
        [form] => renderer.form(form),
        _ => {
            let forms: Vec<Value> = forms.iter().map(|form| renderer.form(form).into()).collect();
            Map::from_iter([("oneOf".to_owned(), forms.into())])
        }
    };
    let mut whole = Map::new();
    whole.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    whole.insert("title".into(), title.into());
    whole.insert("description".into(), description.into());
    whole.append(&mut schema);
    if !renderer.definitions.is_empty() {
        whole.insert("$defs".into(), renderer.definitions.into());
    }
    format!("{:#}\n", Value::Object(whole))
}

struct Renderer {
    openness: Openness,
    /// The objects that occur inside others, by name.
    definitions: Map<String, Value>,
}

impl Renderer {
    fn form(&mut self, tables: &[&Object]) -> Map<String, Value> {
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let mut properties = Map::new();
        for key in tables.iter().flat_map(|table| table.keys) {
            let mut property = self.value(key.value);
            property.insert("description".into(), key.meaning.into());
            properties.insert(key.name.into(), property.into());
        }
        schema.insert("properties".into(), properties.into());
        let (mut required, mut all_of) = (Vec::new(), Vec::new());
        for rule in tables.iter().flat_map(|table| table.rules) {
            match *rule {
                Rule::Required(keys) => required.extend_from_slice(keys),
                Rule::AnyOf(groups) => all_of.push(json!({ "anyOf": groups.iter().map(given).collect::<Vec<_>>() })),
                Rule::OneOf(groups) => all_of.push(json!({ "oneOf": groups.iter().map(given).collect::<Vec<_>>() })),
                Rule::NotBoth(one, other) => all_of.push(json!({ "not": { "required": [one, other] } })),
                Rule::Needs(key, others) => {
                    let others: Vec<Value> = others.iter().map(|other| json!({ "required": [other] })).collect();
                    all_of.push(json!({ "dependentSchemas": { key: { "anyOf": others } } }));
                }
            }
        }
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        if !all_of.is_empty() {
            schema.insert("allOf".into(), all_of.into());
        }
        if self.openness == Openness::Closed {
            schema.insert("additionalProperties".into(), false.into());
        }
        schema
    }

    fn value(&mut self, value: Type) -> Map<String, Value> {
        let simple = |kind: &str| Map::from_iter([("type".to_owned(), json!(kind))]);
        let with = |mut schema: Map<String, Value>, key: &str, value: Value| {
            schema.insert(key.to_owned(), value);
            schema
        };
        match value {
            Type::Any => Map::new(),
            Type::Boolean => simple("boolean"),
            Type::Text => simple("string"),
            Type::Number => simple("number"),
            Type::Within(least, most) => {
                let mut schema = simple("number");
                let bounds = [("minimum", least), ("maximum", most)].into_iter().filter(|(_, bound)| bound.is_finite());
                schema.extend(bounds.map(|(key, bound)| (key.to_owned(), bound.into())));
                schema
            }
            Type::Above(bound) => with(simple("number"), "exclusiveMinimum", bound.into()),
            Type::Below(least, bound) => {
                with(with(simple("number"), "minimum", least.into()), "exclusiveMaximum", bound.into())
            }
            Type::Integer(least, most) => {
                let schema = with(simple("integer"), "minimum", least.into());
                most.map_or(schema.clone(), |most| with(schema, "maximum", most.into()))
            }
            Type::OneOfNames(names) => with(simple("string"), "enum", names().into()),
            Type::List(of, least, most) => {
                let mut schema = with(simple("array"), "items", self.value(*of).into());
                if least > 0 {
                    schema.insert("minItems".into(), least.into());
                }
                if let Some(most) = most {
                    schema.insert("maxItems".into(), most.into());
                }
                schema
            }
            Type::Map(of) => with(simple("object"), "additionalProperties", self.value(*of).into()),
            Type::Object(object) => {
                if !self.definitions.contains_key(object.name) {
                    let definition = self.form(&[object]);
                    self.definitions.insert(object.name.into(), definition.into());
                }
                Map::from_iter([("$ref".to_owned(), json!(format!("#/$defs/{}", object.name)))])
            }
            Type::Either(types) => {
                let types: Vec<Value> = types.iter().map(|of| self.value(*of).into()).collect();
                Map::from_iter([("anyOf".to_owned(), types.into())])
            }
            Type::Nullable(of) => {
                let of: Value = self.value(*of).into();
                Map::from_iter([("anyOf".to_owned(), json!([of, { "type": "null" }]))])
            }
        }
    }
}

/// Requires all keys of a group.
fn given(keys: &&[&str]) -> Value {
    json!({ "required": keys })
}
