-- Keys of orders lead with a unique column, and indexes that list a tenant's orders are partial, as on
-- the rest of the message path: tools read orders while a customer waits.
ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD PRIMARY KEY (id, workspace_id);
DROP INDEX orders_contact;
CREATE INDEX orders_contact ON orders (contact_id, created_at, number);
DROP INDEX orders_conversation;
CREATE INDEX orders_conversation ON orders (conversation_id, number);
DROP INDEX orders_status;
CREATE INDEX orders_status ON orders (workspace_id, status, number) WHERE number > 0;
