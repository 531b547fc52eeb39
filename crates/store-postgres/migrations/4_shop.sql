-- The shop: catalogue, stock, carts, payments.

-- Keys are compared byte by byte, whatever the language of the database: lists come in one order.
-- Amounts are exact.
CREATE TABLE products (
    workspace_id uuid NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    category text COLLATE "C" NOT NULL,
    brand text,
    description text NOT NULL,
    aliases jsonb NOT NULL,
    active bigint NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (workspace_id, id)
);

-- The units of a variant that were ordered. The row outlives the variant, which may come back.
CREATE TABLE product_sales (
    workspace_id uuid NOT NULL,
    sku text COLLATE "C" NOT NULL,
    units bigint NOT NULL,
    PRIMARY KEY (workspace_id, sku)
);

-- `popularity` is a copy of the units ordered, `category` of the product's; `on_sale` says that both
-- variant and product are active. So the best of a category are read from one index.
CREATE TABLE product_variants (
    workspace_id uuid NOT NULL,
    sku text COLLATE "C" NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    label text NOT NULL,
    price numeric NOT NULL,
    currency text NOT NULL,
    aliases jsonb NOT NULL,
    active bigint NOT NULL CHECK (active IN (0, 1)),
    data jsonb NOT NULL,
    category text COLLATE "C" NOT NULL,
    on_sale bigint NOT NULL CHECK (on_sale IN (0, 1)),
    popularity bigint NOT NULL,
    PRIMARY KEY (workspace_id, sku)
);
CREATE INDEX product_variants_product ON product_variants (workspace_id, product_id, place);
CREATE INDEX product_variants_category
    ON product_variants (workspace_id, category, popularity DESC, sku) WHERE on_sale = 1;
CREATE INDEX product_variants_shelf ON product_variants (workspace_id, category, product_id)
    WHERE on_sale = 1;

-- The terms under which variants on sale are found, the most bought first.
CREATE TABLE product_terms (
    workspace_id uuid NOT NULL,
    sku text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    weight bigint NOT NULL,
    popularity bigint NOT NULL,
    PRIMARY KEY (workspace_id, sku, term)
);
CREATE INDEX product_terms_term
    ON product_terms (workspace_id, term, popularity DESC, sku, weight);

CREATE TABLE stock_items (
    workspace_id uuid NOT NULL,
    sku text COLLATE "C" NOT NULL,
    available bigint NOT NULL DEFAULT 0 CHECK (available >= 0),
    reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    sold bigint NOT NULL DEFAULT 0 CHECK (sold >= 0),
    on_hand bigint NOT NULL DEFAULT 0 CHECK (on_hand = available + reserved + sold),
    PRIMARY KEY (workspace_id, sku)
);

CREATE TABLE carts (
    workspace_id uuid NOT NULL,
    session_id uuid NOT NULL,
    cart jsonb NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
);

CREATE TABLE reservations (
    workspace_id uuid NOT NULL,
    order_id uuid NOT NULL,
    sku text COLLATE "C" NOT NULL,
    quantity bigint NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (workspace_id, order_id, sku)
);

CREATE TABLE payments (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    order_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    method text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX payments_contact ON payments (workspace_id, contact_id, at);

-- Documents that tools keep in a shape of their own.
CREATE TABLE documents (
    workspace_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (workspace_id, kind, id)
);

ALTER TABLE orders DROP CONSTRAINT orders_status_check;
ALTER TABLE orders ADD CONSTRAINT orders_status_check CHECK (status IN ('pending_confirmation',
    'confirmed', 'processing', 'shipped', 'delivered', 'completed', 'cancelled'));
DROP INDEX orders_contact;
DROP INDEX orders_conversation;
CREATE INDEX orders_contact ON orders (workspace_id, contact_id, created_at, number);
CREATE INDEX orders_conversation ON orders (workspace_id, conversation_id, number);
CREATE INDEX orders_status ON orders (workspace_id, status, number);

-- A deed outside a turn is done once, under the id of its request.
ALTER TABLE audit_log ADD COLUMN deed_id uuid;
CREATE UNIQUE INDEX audit_log_deed ON audit_log (workspace_id, deed_id) WHERE deed_id IS NOT NULL;

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY[
        'products', 'product_sales', 'product_variants', 'product_terms', 'stock_items', 'carts',
        'reservations', 'payments', 'documents'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (workspace_id = recado_workspace())',
                       tenant_table);
    END LOOP;
END $$;
