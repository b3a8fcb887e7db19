package io.volute.provenance.record;

import io.volute.provenance.format.Hash;

/** The head of the chain that a copy or restore continues. */
public record Source(Hash chainId, ChainHead head) {}
