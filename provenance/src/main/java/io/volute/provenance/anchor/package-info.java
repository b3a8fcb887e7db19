/** Commitments to all chains at once: the map from chain to head, proofs, signed checkpoints. */
package io.volute.provenance.anchor;
