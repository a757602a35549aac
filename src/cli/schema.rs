//! `schema`: the JSON Schema of a file format, for editors.

use crate::cli::Output;
use crate::cli::args::{SchemaArgs, SchemaKind};
use crate::report::formats;
use crate::report::schema::{Format, schema};

pub(super) fn run(args: &SchemaArgs) -> Output {
    let format = match args.kind {
        SchemaKind::Game => Format::Game,
        SchemaKind::Strategy => Format::Strategy,
        SchemaKind::Claim => Format::Claim,
    };
    let json = schema(format);
    let mut output = Output::new(format!("{json:#}"), json);
    output.markdown = Some(formats::of(format));
    output
}
