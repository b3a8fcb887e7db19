/** Every byte of a segment: pure functions over buffers, no I/O. Pictures: docs/format/log.md. */
package io.volute.storage.format;
