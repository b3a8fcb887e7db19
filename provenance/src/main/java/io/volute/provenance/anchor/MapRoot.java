package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;

/**
 * What fixes a map from chain to head.
 *
 * @param heads how many the map has
 */
public record MapRoot(Hash root, long heads) {}
