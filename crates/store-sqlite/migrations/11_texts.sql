-- Texts that questions to models repeat: a pack's own words and the tools it offers, each once
-- under the SHA-256 of its text. A customer's words are never among them.
CREATE TABLE model_texts (
    workspace_id BLOB NOT NULL,
    digest TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (workspace_id, digest)
) STRICT, WITHOUT ROWID;
