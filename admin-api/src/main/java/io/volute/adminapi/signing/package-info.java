/**
 * Signatures of requests (Signature Version 4) as a client computes them. The server verifies with
 * the same keys and chains.
 */
package io.volute.adminapi.signing;
