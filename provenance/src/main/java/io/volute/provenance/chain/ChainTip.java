package io.volute.provenance.chain;

import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EventKind;
import java.util.Map;

/**
 * The end of a chain.
 *
 * @param head its last entry
 * @param commitSequence of the last entry
 * @param ofKind sequence of the last entry of each kind
 */
public record ChainTip(ChainHead head, long commitSequence, Map<EventKind, Long> ofKind) {
    public ChainTip {
        ofKind = Map.copyOf(ofKind);
    }
}
