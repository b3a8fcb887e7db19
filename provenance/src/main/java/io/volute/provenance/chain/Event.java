package io.volute.provenance.chain;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Source;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What happened, before it has a place in a chain.
 *
 * @param timeMillis since 1970 UTC
 */
public record Event(
        EventKind kind,
        long commitSequence,
        long timeMillis,
        Bytes versionId,
        Optional<Hash> content,
        Field principal,
        SortedMap<Bytes, Field> details,
        Optional<Attestation> attestation,
        Optional<Source> source,
        List<Hash> slots,
        Disclosure disclosure) {

    /** A plain event, without details. */
    public static Event of(
            EventKind kind,
            long commitSequence,
            long timeMillis,
            Bytes versionId,
            Optional<Hash> content,
            String principal) {
        return new Event(
                kind,
                commitSequence,
                timeMillis,
                versionId,
                content,
                Field.plain(principal),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Disclosure.NOTHING);
    }

    public Event with(Attestation signed) {
        return new Event(
                kind,
                commitSequence,
                timeMillis,
                versionId,
                content,
                principal,
                details,
                Optional.of(signed),
                source,
                slots,
                disclosure);
    }

    public Event from(Source continued) {
        return new Event(
                kind,
                commitSequence,
                timeMillis,
                versionId,
                content,
                principal,
                details,
                attestation,
                Optional.of(continued),
                slots,
                disclosure);
    }

    /** Returns a copy with another principal, details, key slots and openings. */
    public Event with(
            Field who, SortedMap<Bytes, Field> what, List<Hash> keySlots, Disclosure opens) {
        return new Event(
                kind,
                commitSequence,
                timeMillis,
                versionId,
                content,
                who,
                what,
                attestation,
                source,
                keySlots,
                opens);
    }
}
