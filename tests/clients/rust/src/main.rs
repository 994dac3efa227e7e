// Reads documents with the models of openapi-generator.
//
// Lines of "schema TAB file" become lines of JSON: the document as it was read, or the error.
#![allow(dead_code)]

mod models;

use serde::{de::DeserializeOwned, Serialize};
use serde_json::{json, Value};

fn read<T: DeserializeOwned + Serialize>(text: &str) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_str::<T>(text)?)
}

/// Defines `read_as`, which reads a document with the model of this name.
macro_rules! models {
    ($($name:ident)*) => {
        fn read_as(name: &str, text: &str) -> serde_json::Result<Value> {
            match name {
                $(stringify!($name) => read::<models::$name>(text),)*
                _ => panic!("no model {name}"),
            }
        }
    };
}
include!("names.rs");

fn main() {
    for line in std::io::stdin().lines().map(Result::unwrap) {
        let (name, file) = line.split_once('\t').unwrap();
        let document = read_as(name, &std::fs::read_to_string(file).unwrap());
        println!("{}", document.map_or_else(|error| json!({"error": error.to_string()}), |read| json!({"document": read})));
    }
}
