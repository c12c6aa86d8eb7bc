//! Tells cargo how a Node.js addon is linked.

fn main() {
    napi_build::setup();
}
