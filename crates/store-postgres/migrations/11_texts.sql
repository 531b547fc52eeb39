-- Texts that questions to models repeat: a pack's own words and the tools it offers, each once
-- under the SHA-256 of its text. A customer's words are never among them.
CREATE TABLE model_texts (
    workspace_id uuid NOT NULL,
    digest text COLLATE "C" NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (digest, workspace_id)
);
ALTER TABLE model_texts ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_texts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON model_texts USING ((workspace_id = recado_workspace()) IS TRUE);

-- Keys of goods lead with their own names before the tenant, as all keys of the message path do.
-- Indexes that list a tenant's goods are partial, by a condition that no other statement has.
ALTER TABLE products DROP CONSTRAINT products_pkey, ADD PRIMARY KEY (id, workspace_id);
CREATE INDEX products_listed ON products (workspace_id, id) WHERE active >= 0;
ALTER TABLE product_variants DROP CONSTRAINT product_variants_pkey,
    ADD PRIMARY KEY (sku, workspace_id);
DROP INDEX product_variants_product;
CREATE INDEX product_variants_product ON product_variants (product_id, place);
CREATE INDEX product_variants_listed ON product_variants (workspace_id, sku) WHERE active >= 0;
ALTER TABLE stock_items DROP CONSTRAINT stock_items_pkey, ADD PRIMARY KEY (sku, workspace_id);
CREATE INDEX stock_items_listed ON stock_items (workspace_id, sku) WHERE available >= 0;
