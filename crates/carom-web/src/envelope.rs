//! Answers as bytes: a JSON header, then typed arrays.

use serde_json::{Map, Value, json};

/// The version of the envelope.
const VERSION: u32 = 1;
/// Arrays begin at multiples of this many bytes.
const ALIGNMENT: usize = 8;

/// An answer: a JSON object, and arrays by name.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) header: Map<String, Value>,
    arrays: Vec<(&'static str, &'static str, usize, Vec<u8>)>,
}

impl Answer {
    /// An answer with the fields of a JSON object.
    pub(crate) fn new(fields: Value) -> Self {
        let header = match fields {
            Value::Object(map) => map,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        Self { header, arrays: Vec::new() }
    }

    pub(crate) fn doubles(mut self, name: &'static str, numbers: &[f64]) -> Self {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.arrays.push((name, "f64", numbers.len(), bytes));
        self
    }

    pub(crate) fn floats(mut self, name: &'static str, numbers: impl ExactSizeIterator<Item = f32>) -> Self {
        let (count, mut bytes) = (numbers.len(), Vec::with_capacity(4 * numbers.len()));
        numbers.for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        self.arrays.push((name, "f32", count, bytes));
        self
    }

    pub(crate) fn bytes(mut self, name: &'static str, bytes: Vec<u8>) -> Self {
        self.arrays.push((name, "u8", bytes.len(), bytes));
        self
    }

    /// The length of the header, the version, the header padded with spaces, the arrays.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let mut at = 0;
        let places = self.arrays.iter().map(|(name, kind, length, bytes)| {
            let place = json!({ "type": kind, "at": at, "length": length });
            at += bytes.len().next_multiple_of(ALIGNMENT);
            ((*name).to_owned(), place)
        });
        let places: Map<String, Value> = places.collect();
        self.header.insert("arrays".to_owned(), Value::Object(places));
        let mut header = Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
        let mut whole = Vec::with_capacity(8 + header.len() + at);
        // The limits of requests keep headers far below 4 GB.
        whole.extend_from_slice(&u32::try_from(header.len()).unwrap_or(u32::MAX).to_le_bytes());
        whole.extend_from_slice(&VERSION.to_le_bytes());
        whole.append(&mut header);
        for (.., bytes) in &self.arrays {
            whole.extend_from_slice(bytes);
            whole.resize(whole.len().next_multiple_of(ALIGNMENT), 0);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_where_the_header_says() {
        let answer = Answer::new(json!({ "a": 1 })).bytes("b", vec![1, 2, 3]).doubles("d", &[0.5, -2.0]);
        let bytes = answer.into_bytes();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(length % 8, 0);
        let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
        assert_eq!(header["arrays"]["b"], json!({ "type": "u8", "at": 0, "length": 3 }));
        let at = 8 + length + header["arrays"]["d"]["at"].as_u64().unwrap() as usize;
        assert_eq!(f64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap()), -2.0);
        assert_eq!(bytes.len(), at + 16);
    }
}
