/**
 * Encryption at rest: data keys, the keyring or the external service that wraps them, and encrypted
 * bodies.
 */
package io.volute.server.encryption;
