//! Reads a crate's name and dependencies from its Cargo.toml, for the dependency rules.

/// A crate, as its Cargo.toml declares it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) only_for_tests: bool,
    /// Whether a feature that only tests need is switched on.
    pub(super) has_test_code: bool,
}

/// Features that compile test code into a crate of ours.
const TEST_CODE: [&str; 2] = ["\"contract\"", "\"testing\""];

impl Manifest {
    /// Reads line by line, because our manifests are written one dependency to a line, and a TOML
    /// parser would be the only dependency of this crate.
    pub(super) fn parse(path: &str, text: &str) -> Self {
        let mut manifest =
            Self { path: path.to_owned(), name: String::new(), dependencies: Vec::new() };
        let mut section = Section::Other;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if let Some(header) = line.strip_prefix('[') {
                section = Section::parse(header.trim_end_matches(']'));
                if let Section::Dependency { name, only_for_tests } = &section {
                    manifest.add(name, number, *only_for_tests);
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let key = key.split('.').next().unwrap_or_default().trim().trim_matches('"');
            match section {
                Section::Package if key == "name" => manifest.name = unquoted(value),
                Section::Dependencies { only_for_tests } => {
                    let name = renamed(value).unwrap_or_else(|| key.to_owned());
                    manifest.add(&name, number, only_for_tests);
                    manifest.switch_on(value);
                }
                Section::Dependency { .. } if key == "package" => {
                    if let Some(last) = manifest.dependencies.last_mut() {
                        last.name = unquoted(value);
                    }
                }
                Section::Dependency { .. } if key == "features" => manifest.switch_on(value),
                _ => {}
            }
        }
        manifest
    }

    fn add(&mut self, name: &str, line: usize, only_for_tests: bool) {
        let name = name.to_owned();
        self.dependencies.push(Dependency { name, line, only_for_tests, has_test_code: false });
    }

    /// Notes the features of the dependency that was read last.
    fn switch_on(&mut self, features: &str) {
        if let Some(last) = self.dependencies.last_mut() {
            last.has_test_code |= TEST_CODE.iter().any(|feature| features.contains(feature));
        }
    }
}

enum Section {
    Package,
    Dependencies {
        only_for_tests: bool,
    },
    /// `[dependencies.NAME]`, which gives one dependency a section.
    Dependency {
        name: String,
        only_for_tests: bool,
    },
    Other,
}

impl Section {
    fn parse(header: &str) -> Self {
        if header == "package" {
            return Self::Package;
        }
        // A target's condition may hold dots and quotes; the kind of dependency follows it.
        let header = match header.strip_prefix("target.") {
            Some(target) => target.rsplit_once("'.").map_or("", |(_, rest)| rest),
            None => header,
        };
        let (kind, name) = match header.split_once('.') {
            Some((kind, name)) => (kind, Some(name)),
            None => (header, None),
        };
        let only_for_tests = match kind {
            "dependencies" | "build-dependencies" => false,
            "dev-dependencies" => true,
            _ => return Self::Other,
        };
        match name {
            Some(name) => Self::Dependency { name: name.to_owned(), only_for_tests },
            None => Self::Dependencies { only_for_tests },
        }
    }
}

/// The crate behind `alias = { package = "NAME" }`: a rename must not get round a rule.
fn renamed(value: &str) -> Option<String> {
    let (_, rest) = value.split_once("package")?;
    let rest = rest.trim_start().strip_prefix('=')?;
    Some(unquoted(rest.split([',', '}']).next()?))
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependencies(text: &str) -> Vec<(String, usize, bool)> {
        let manifest = Manifest::parse("crates/a/Cargo.toml", text);
        manifest.dependencies.into_iter().map(|d| (d.name, d.line, d.only_for_tests)).collect()
    }

    #[test]
    fn the_name_is_the_packages_and_not_the_binarys() {
        let text = "[[bin]]\nname = \"recado\"\n[package]\nname = \"cli\"\n";
        assert_eq!(Manifest::parse("crates/cli/Cargo.toml", text).name, "cli");
    }

    #[test]
    fn dependencies_come_with_their_line_and_kind() {
        let text = "[dependencies]\ndomain.workspace = true\naxum = { version = \"1\", features = [\n\
                    \"json\",\n] } # why\n\n[dev-dependencies]\ntempfile = \"3\"\n[features]\nx = []\n";
        assert_eq!(
            dependencies(text),
            [("domain".into(), 2, false), ("axum".into(), 3, false), ("tempfile".into(), 8, true)]
        );
    }

    #[test]
    fn a_dependency_may_have_a_section_or_hang_on_a_target() {
        let text = "[dependencies.tokio]\nversion = \"1\"\n[target.'cfg(a.b)'.dependencies]\nlibc = \"1\"\n";
        assert_eq!(dependencies(text), [("tokio".into(), 1, false), ("libc".into(), 4, false)]);
    }

    #[test]
    fn a_renamed_dependency_is_known_by_its_own_name() {
        let text = "[dependencies]\nweb = { version = \"1\", package = \"axum\" }\n\
                    [dependencies.db]\npackage = \"rusqlite\"\n";
        assert_eq!(dependencies(text), [("axum".into(), 2, false), ("rusqlite".into(), 3, false)]);
    }
}
