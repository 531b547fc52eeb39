//! Turns the keys about the outside into systems, MCP servers and hosts that may be private.

use crate::Address;
use crate::mistakes::Mistakes;
use crate::read::{called, once, require, secret, slug, texts, web_address};
use crate::settings::{McpServer, McpTransport, NamedSecret, System};
use crate::tree::{Node, Value};

pub(crate) fn read_systems(root: &Node, mistakes: &mut Mistakes) -> Vec<System> {
    let items = root.list("systems");
    once(items, "system", mistakes);
    items.iter().filter_map(|item| read_system(item, mistakes)).collect()
}

fn read_system(item: &Node, mistakes: &mut Mistakes) -> Option<System> {
    let whose = called(item, "system");
    require(item, &whose, "id", mistakes);
    require(item, &whose, "base_url", mistakes);
    let id = slug(item, "id", mistakes);
    let base_url = web_address(item, "base_url", mistakes);
    let headers = named_secrets(item, "headers", mistakes);
    let allow_private = item.flag("allow_private").unwrap_or(false);
    Some(System { id: id?.to_owned(), base_url: Address(base_url?), headers, allow_private })
}

pub(crate) fn read_mcp(root: &Node, mistakes: &mut Mistakes) -> Vec<McpServer> {
    let items = root.list("mcp");
    once(items, "MCP server", mistakes);
    items.iter().filter_map(|item| read_server(item, mistakes)).collect()
}

fn read_server(item: &Node, mistakes: &mut Mistakes) -> Option<McpServer> {
    let whose = called(item, "MCP server");
    require(item, &whose, "id", mistakes);
    let id = slug(item, "id", mistakes);
    let (url, command) = (item.get("url"), item.get("command"));
    if matches!(item.value, Value::Group(_)) && url.is_some() == command.is_some() {
        let found = if url.is_some() { "both" } else { "neither" };
        mistakes.add(&item.at, format!("{whose} has either `url` or `command`, not {found}"));
        return None;
    }
    let (own, others) = match url {
        Some(_) => ("url", &["args", "env"][..]),
        None => ("command", &["headers"][..]),
    };
    for (key, node) in others.iter().filter_map(|key| Some((key, item.get(key)?))) {
        mistakes.add(&node.at, format!("{whose} has `{own}`, which takes no `{key}`"));
    }
    let headers = named_secrets(item, "headers", mistakes);
    let env = named_secrets(item, "env", mistakes);
    let transport = match url {
        Some(_) => {
            let url = web_address(item, "url", mistakes)?;
            McpTransport::Http { url: Address(url), headers }
        }
        None => {
            let command = item.text("command")?.0.to_owned();
            McpTransport::Process { command, args: texts(item, "args"), env }
        }
    };
    Some(McpServer { id: id?.to_owned(), transport })
}

fn named_secrets(item: &Node, key: &str, mistakes: &mut Mistakes) -> Vec<NamedSecret> {
    let mut read = Vec::new();
    for one in item.list(key) {
        let whose = format!("one of `{key}`");
        require(one, &whose, "name", mistakes);
        require(one, &whose, "value", mistakes);
        if let (Some((name, _)), Some(value)) = (one.text("name"), secret(one, "value")) {
            read.push(NamedSecret { name: name.to_owned(), value });
        }
    }
    read
}

/// Host names without scheme or path, because an address here would look as if its path counted.
pub(crate) fn read_allowed(root: &Node, mistakes: &mut Mistakes) -> Vec<String> {
    let Some(egress) = root.get("egress") else { return Vec::new() };
    for host in egress.list("allow") {
        if let Value::Text(text) = &host.value
            && text.contains(|c: char| c.is_whitespace() || "/@?#".contains(c))
        {
            let message = format!("each of `allow` is a host, as in `10.0.0.5`, not `{text}`");
            mistakes.add(&host.at, message);
        }
    }
    texts(egress, "allow")
}
