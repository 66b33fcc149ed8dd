.PHONY: help demo python test bench fuzz bindings doc lint install-deps

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.* ## /\1\t/p' Makefile | expand -t 14

demo: ## build, convert an example trace to a store, and show it
	scripts/install-deps.sh demo
	cargo build --profile local
	mkdir -p target/demo
	target/local/foldtrace convert examples/stencil-9 target/demo/stencil.fold --force
	target/local/foldtrace info target/demo/stencil.fold
	target/local/foldtrace loops target/demo/stencil.fold --location 4.0 --events comm
	target/local/foldtrace verify target/demo/stencil.fold

python: ## build the Python package with the command, and install it into target/python
	scripts/install-deps.sh demo
	python3 -m venv target/python
	target/python/bin/pip install ./python
	target/python/bin/foldtrace --version

test: ## run all tests: Rust, the bindings to libotf2, stores read from Python, the Python package, the viewer
	scripts/install-deps.sh test
	cargo test --workspace
	cargo test -p otf2-sys --features regenerate
	scripts/test-python.sh
	scripts/test-package.sh
	scripts/test-viewer.sh

bench: ## run the benchmarks, with the tools that they compare with
	scripts/install-deps.sh workspace
	cargo bench --workspace --benches

fuzz: ## run a fuzzer on each reader, FUZZ_SECONDS=60 each
	scripts/install-deps.sh workspace
	scripts/fuzz.sh

bindings: ## regenerate the bindings to libotf2 and compare them with the committed ones
	scripts/install-deps.sh test
	cargo test -p otf2-sys --features regenerate

doc: ## build the library's documentation, in target/doc
	scripts/install-deps.sh workspace
	cargo doc --workspace --no-deps

# The documentation has the features of the first check, so that no crate is checked again for it.
lint: ## run the checks that must pass before a commit, besides the tests
	scripts/install-deps.sh workspace
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package foldtrace --bins -- -D warnings
	cargo clippy --package foldtrace --lib --no-default-features --features otf2,store -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --features schema

install-deps: ## install the Debian packages that the tests need
	scripts/install-deps.sh test
