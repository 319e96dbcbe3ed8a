//! Foreign frames → AG-UI 1.0 frames, one file a system. Uses `wire`.

mod legacy;

pub use legacy::Thinking;
