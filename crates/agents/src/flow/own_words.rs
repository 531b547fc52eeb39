//! The limits on a model's own words at this moment of a flow.

use pack::Source;
use pack::files::{Field, FieldKind};
use pack::program::Mode;
use sentences::Frames;

use super::spec::Spec;
use super::turn::{Cause, Turn};
use super::understand::asks;
use crate::model::{Allowed, Moment, Vocabulary};

/// The words that a pack gives: its goods, its choices, its fields and its prompts.
pub(super) fn vocabulary(spec: &Spec, source: &Source) -> Vocabulary {
    let pack = spec.pack();
    let catalogue = spec.flow.shop.as_ref().and_then(|shop| shop.catalogue.as_deref());
    let catalogue = catalogue.and_then(|path| source.get(path));
    // The first line names the columns.
    let catalogue = catalogue.into_iter().flat_map(|text| text.lines().skip(1));
    let options = spec.flow.choices.iter().flat_map(|choice| &choice.options);
    let labels = options.map(|option| option.label.as_str());
    let goods = catalogue.chain(labels).chain([pack.manifest.title.as_str()]);
    let fields = spec.fields.fields.iter().flat_map(called);
    Vocabulary::new(goods, fields, pack.prompts.values().map(String::as_str))
}

/// The names of a field, the pack's and everybody's.
fn called(field: &Field) -> impl Iterator<Item = &str> {
    let everybody = match field.kind {
        FieldKind::Name => "nombre apellido name surname",
        FieldKind::Phone => "teléfono celular número phone number mobile",
        FieldKind::Email => "correo email",
        FieldKind::City => "ciudad municipio city town",
        FieldKind::Address => {
            "dirección calle número barrio casa apartamento torre piso interior conjunto address \
             street house flat apartment floor"
        }
        FieldKind::Document => "documento número document",
        _ => "",
    };
    let aliases = field.aliases.iter().map(String::as_str);
    aliases.chain([field.label.as_str(), everybody])
}

/// The words that are allowed now.
pub(super) fn allowed<'a>(turn: &Turn<'a>) -> Allowed<'a> {
    let spec = turn.spec;
    let mode = turn.mode();
    let heard = match turn.given.cause {
        Cause::Message(heard) => Some(heard),
        _ => None,
    };
    let shop = &turn.state.memory.shop;
    let options = shop.choosing.iter().flat_map(|choosing| &choosing.options);
    let goods = options.chain(&shop.last).map(|goods| goods.title.as_str()).collect();
    let is_name = |field: &&Field| field.kind == FieldKind::Name;
    let names = spec.fields.fields.iter().filter(is_name);
    let names = names.filter_map(|field| turn.state.session.data.get(&field.name)?.as_str());
    let moment = Moment {
        names: names.chain(turn.given.contact_name).collect(),
        collects: mode.collects,
        message: heard.map(|heard| heard.text.original()).unwrap_or_default(),
        asks: heard.is_some_and(asks),
        goods,
    };
    Allowed::new(&mode.own_words, &spec.vocabulary, &spec.fields.extractor, &moment)
}

/// The instruction that tells a model which words it may use in a mode.
pub(super) fn offer(frames: &Frames, mode: &Mode) -> String {
    let acts: Vec<&str> = mode.own_words.iter().map(|act| act.name()).collect();
    frames.reply(&acts.join(", "))
}
