-- The shop: catalogue, stock, carts, payments.

-- Amounts are text, which stays exact.
CREATE TABLE products (
    workspace_id BLOB NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    brand TEXT,
    description TEXT NOT NULL,
    aliases TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The units of a variant that were ordered. The row outlives the variant, which may come back.
CREATE TABLE product_sales (
    workspace_id BLOB NOT NULL,
    sku TEXT NOT NULL,
    units INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, sku)
) STRICT, WITHOUT ROWID;

-- `popularity` is a copy of the units ordered, `category` of the product's; `on_sale` says that both
-- variant and product are active. So the best of a category are read from one index.
CREATE TABLE product_variants (
    workspace_id BLOB NOT NULL,
    sku TEXT NOT NULL,
    product_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    label TEXT NOT NULL,
    price TEXT NOT NULL,
    currency TEXT NOT NULL,
    aliases TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    data TEXT NOT NULL,
    category TEXT NOT NULL,
    on_sale INTEGER NOT NULL CHECK (on_sale IN (0, 1)),
    popularity INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, sku)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_variants_product ON product_variants (workspace_id, product_id, place);
CREATE INDEX product_variants_category
    ON product_variants (workspace_id, category, popularity DESC, sku) WHERE on_sale = 1;
CREATE INDEX product_variants_shelf ON product_variants (workspace_id, category, product_id)
    WHERE on_sale = 1;

-- The terms under which variants on sale are found, the most bought first.
CREATE TABLE product_terms (
    workspace_id BLOB NOT NULL,
    sku TEXT NOT NULL,
    term TEXT NOT NULL,
    weight INTEGER NOT NULL,
    popularity INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, sku, term)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_terms_term
    ON product_terms (workspace_id, term, popularity DESC, sku, weight);

CREATE TABLE stock_items (
    workspace_id BLOB NOT NULL,
    sku TEXT NOT NULL,
    available INTEGER NOT NULL DEFAULT 0 CHECK (available >= 0),
    reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    sold INTEGER NOT NULL DEFAULT 0 CHECK (sold >= 0),
    on_hand INTEGER NOT NULL DEFAULT 0 CHECK (on_hand = available + reserved + sold),
    PRIMARY KEY (workspace_id, sku)
) STRICT, WITHOUT ROWID;

CREATE TABLE carts (
    workspace_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    cart TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
    workspace_id BLOB NOT NULL,
    order_id BLOB NOT NULL,
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (workspace_id, order_id, sku)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    order_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    method TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX payments_contact ON payments (workspace_id, contact_id, at);

-- Documents that tools keep in a shape of their own.
CREATE TABLE documents (
    workspace_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (workspace_id, kind, id)
) STRICT, WITHOUT ROWID;

-- A check cannot be changed in place.
CREATE TABLE orders_of_a_shop (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    number INTEGER NOT NULL,
    contact_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending_confirmation', 'confirmed', 'processing',
        'shipped', 'delivered', 'completed', 'cancelled')),
    currency TEXT NOT NULL,
    total TEXT NOT NULL,
    lines TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO orders_of_a_shop (workspace_id, id, number, contact_id, conversation_id, status, currency,
        total, lines, data, created_at, updated_at)
    SELECT workspace_id, id, number, contact_id, conversation_id, status, currency, total, lines,
        data, created_at, updated_at FROM orders;
DROP TABLE orders;
ALTER TABLE orders_of_a_shop RENAME TO orders;
CREATE INDEX orders_contact ON orders (workspace_id, contact_id, created_at, number);
CREATE INDEX orders_conversation ON orders (workspace_id, conversation_id, number);
CREATE INDEX orders_status ON orders (workspace_id, status, number);

-- A deed outside a turn is done once, under the id of its request.
ALTER TABLE audit_log ADD COLUMN deed_id BLOB;
CREATE UNIQUE INDEX audit_log_deed ON audit_log (workspace_id, deed_id) WHERE deed_id IS NOT NULL;
