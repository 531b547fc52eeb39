# The few commands a person or CI needs; everything else is cargo.

CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help run release check test bench

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

# Needs Rust and a C compiler only: SQLite is compiled in and the dashboard is checked in.
run: ## build quickly and serve, on SQLite
	$(CARGO) run --profile quick --bin recado -- serve

release: ## build the fast binary, target/release/recado
	$(CARGO) build --release --bin recado

check: ## formatting, lints and the repository's own rules
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) xtask tidy

# Every store runs one contract, so the tests need PostgreSQL: a private one, gone when they end.
test: check ## check, then every test, on SQLite and on a throwaway PostgreSQL
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
		set -x; exec scripts/with-postgres $(CARGO) nextest run --workspace --no-fail-fast; \
	else \
		echo "cargo-nextest is not installed; using the slower cargo test"; \
		set -x; exec scripts/with-postgres $(CARGO) test --workspace --lib --bins --tests --no-fail-fast; \
	fi

# Figures from a server that does not wait for its disk would flatter us, hence --durable. Both are
# built at once: the bench starts the binary that lies beside it.
bench: ## measure the release build on SQLite and PostgreSQL; ARGS="..." reaches the bench
	$(CARGO) build --release -p cli -p bench
	scripts/with-postgres --durable $${CARGO_TARGET_DIR:-target}/release/bench $(ARGS)
