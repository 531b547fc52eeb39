-- The index of the orders of one status holds the orders alone that have a number, which are all, as on
-- PostgreSQL: one text serves both.
DROP INDEX orders_status;
CREATE INDEX orders_status ON orders (workspace_id, status, number) WHERE number > 0;
