/** What fixes all chains at once: the map from chain to head, its proofs, signed checkpoints. */
package io.volute.provenance.anchor;
