//! An MCP server over standard input and output.

#[path = "kit/mcp_server.rs"]
mod mcp_server;

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str(&line?) else { continue };
        match mcp_server::answer(&message) {
            Some(answer) if answer["result"]["exits"] == true => break,
            Some(answer) => writeln!(output, "{answer}")?,
            None => {}
        }
        output.flush()?;
    }
    Ok(())
}
