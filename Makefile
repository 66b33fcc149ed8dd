.PHONY: help demo test bench fuzz bindings doc lint install-deps

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.* ## /\1\t/p' Makefile | expand -t 14

demo: ## build, convert an example trace to a store, and look at it
	scripts/install-deps.sh demo
	cargo build --release
	mkdir -p target/demo
	target/release/foldtrace convert examples/stencil-9 target/demo/stencil.fold --force
	target/release/foldtrace info target/demo/stencil.fold
	target/release/foldtrace loops target/demo/stencil.fold --location 4.0 --events comm
	target/release/foldtrace verify target/demo/stencil.fold

test: ## all tests: Rust, the bindings to libotf2, stores read from Python
	scripts/install-deps.sh test
	cargo test --workspace
	cargo test -p otf2-sys --features regenerate
	scripts/test-python.sh

bench: ## benchmarks, each with what it compares against
	scripts/install-deps.sh workspace
	cargo bench --workspace --benches

fuzz: ## feed each reader with whatever a fuzzer thinks of, FUZZ_SECONDS=60 each
	scripts/install-deps.sh workspace
	scripts/fuzz.sh

bindings: ## make the bindings to libotf2 anew and compare them with the committed ones
	scripts/install-deps.sh test
	cargo test -p otf2-sys --features regenerate

doc: ## the library's documentation, in target/doc
	scripts/install-deps.sh workspace
	cargo doc --workspace --no-deps

lint: ## what must pass before a commit, besides the tests
	scripts/install-deps.sh workspace
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

install-deps: ## the Debian packages that the tests need
	scripts/install-deps.sh test
