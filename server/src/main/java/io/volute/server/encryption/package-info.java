/** Encryption at rest: data keys, the keyring that wraps them, and encrypted bodies. */
package io.volute.server.encryption;
