//! The packs that ship inside the binary, so that it answers in any folder.

use pack::Source;

/// A pack's files: all that its behaviour follows from.
struct Shipped {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// Every pack of the repository, as the build script found it.
const SHIPPED: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|shipped| shipped.name)
}

/// The pack of this name as it ships, under its own name.
pub fn find(name: &str) -> Option<(&'static str, Source)> {
    let shipped = SHIPPED.iter().find(|shipped| shipped.name == name)?;
    Some((shipped.name, Source::new(shipped.files.iter().copied())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_ships_is_the_whole_behaviour_of_every_pack_in_the_repository() {
        let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs");
        let folders = std::fs::read_dir(&packs).unwrap().flatten().map(|entry| entry.path());
        let mut compared = 0;
        for folder in folders.filter(|folder| folder.join("pack.yaml").is_file()) {
            let name = folder.file_name().unwrap().to_str().unwrap();
            let shipped = find(name).unwrap_or_else(|| panic!("`{name}` does not ship")).1;
            let there = Source::read(&folder).unwrap().behaviour();
            let paths = |source: &Source| {
                source.iter().map(|(path, _)| path.to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(paths(&shipped), paths(&there), "{name}");
            assert_eq!(shipped, there, "{name}");
            compared += 1;
        }
        assert_eq!(compared, names().count());
    }
}
