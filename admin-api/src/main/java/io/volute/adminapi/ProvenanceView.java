package io.volute.adminapi;

import io.volute.adminapi.AuditApi.UnsignedPeriod;
import io.volute.adminapi.ProvenanceApi.Detail;
import io.volute.adminapi.ProvenanceApi.Key;
import io.volute.adminapi.ProvenanceApi.Keys;
import io.volute.adminapi.ProvenanceApi.Signer;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRecord;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.Source;
import io.volute.provenance.secrecy.Reading;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Signed history as the admin API answers it; the server and those who read exports without one
 * show the same.
 */
public final class ProvenanceView {
    private ProvenanceView() {}

    /** Returns an entry, as far as it can be read, without the names of its chain. */
    public static ProvenanceApi.Entry entry(Reading reading) {
        EntryRecord record = reading.record();
        Entry entry = record.entry();
        Entry.Placement at = entry.placement();
        Hash link = Spiral.signedLink(at.shape(), Entry.hash(record.encoded()), record.links());
        return new ProvenanceApi.Entry(
                Optional.empty(),
                Optional.empty(),
                entry.sequence(),
                Words.of(entry.kind()),
                time(at.timeMillis()),
                at.commitSequence(),
                entry.versionId().text(),
                field(reading, 0),
                details(reading),
                entry.content().map(Hash::hex),
                entry.source().map(ProvenanceView::source),
                entry.attestation().map(ProvenanceView::attestation),
                entry.signers().stream().map(ProvenanceView::signer).toList(),
                at.chainId().hex(),
                link.hex());
    }

    /** Returns an instant that anybody may have written. */
    private static Instant time(long millis) {
        return Instant.ofEpochMilli(millis);
    }

    private static List<Detail> details(Reading reading) {
        List<String> names = reading.record().entry().fieldNames();
        List<Detail> details = new ArrayList<>();
        for (int index = 1; index < names.size(); index++) {
            ProvenanceApi.Field field = field(reading, index);
            details.add(
                    new Detail(
                            names.get(index),
                            field.form(),
                            field.read(),
                            field.text(),
                            field.hex()));
        }
        return details;
    }

    private static ProvenanceApi.Field field(Reading reading, int index) {
        Field field = reading.record().entry().fields().get(index);
        Optional<Bytes> value = reading.text(index);
        Optional<String> text = value.flatMap(ProvenanceView::text);
        return new ProvenanceApi.Field(
                Words.of(field.form()),
                value.isPresent() && field.form() != Field.Form.PLAIN
                        ? Optional.of(true)
                        : Optional.empty(),
                text,
                text.isPresent()
                        ? Optional.empty()
                        : Optional.of(value.orElse(field.value()).hex()));
    }

    /** Returns the text; empty for bytes that are none, such as a hash. */
    private static Optional<String> text(Bytes value) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(value.toArray());
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static ProvenanceApi.Source source(Source source) {
        return new ProvenanceApi.Source(
                source.chainId().hex(), source.head().sequence(), source.head().link().hex());
    }

    private static ProvenanceApi.Attestation attestation(Attestation attestation) {
        return new ProvenanceApi.Attestation(
                Words.of(attestation.by()),
                signer(attestation.signer()),
                time(attestation.timeMillis()));
    }

    private static Signer signer(SignerId signer) {
        return new Signer(Words.of(signer.algorithm()), signer.keyId().hex());
    }

    /**
     * Returns the keys of a list, each once.
     *
     * @throws IOException when a record cannot be read
     */
    public static Keys keys(KeyList list) throws IOException {
        List<Key> keys = new ArrayList<>();
        for (KeyGrant grant : grants(list)) {
            SignerId id = grant.key().id();
            keys.add(
                    new Key(
                            Words.of(id.algorithm()),
                            id.keyId().hex(),
                            Words.of(grant.role()),
                            grant.owner(),
                            grant.validFrom(),
                            validUntil(grant)));
        }
        return new Keys(list.storeId().hex(), signer(list.root()), list.size(), keys);
    }

    /**
     * Returns what holds about each key now, in the order of their first records.
     *
     * @throws IOException when a record cannot be read
     */
    public static List<KeyGrant> grants(KeyList list) throws IOException {
        Set<SignerId> ids = new LinkedHashSet<>();
        for (int number = 0; number < list.size(); number++) {
            ids.add(KeyRecord.decode(list.record(number)).grant().key().id());
        }
        return ids.stream().map(list::find).flatMap(Optional::stream).toList();
    }

    /**
     * Returns the first commit sequence at which a key is not valid any more; empty while it is.
     */
    public static OptionalLong validUntil(KeyGrant grant) {
        return grant.validUntil() == KeyGrant.OPEN
                ? OptionalLong.empty()
                : OptionalLong.of(grant.validUntil());
    }

    static UnsignedPeriod unsigned(SettingsHistory.UnsignedPeriod period) {
        return new UnsignedPeriod(
                time(period.from().timeMillis()),
                period.from().commitSequence(),
                period.until().map(until -> time(until.timeMillis())),
                period.until()
                        .map(until -> OptionalLong.of(until.commitSequence()))
                        .orElse(OptionalLong.empty()));
    }

    /**
     * Returns a finding of a chain.
     *
     * @param witnesses later entries that do not fit the one it is about
     */
    static AuditApi.Finding finding(String chain, Finding finding, int witnesses) {
        return new AuditApi.Finding(
                chain,
                finding.sequence(),
                finding.promise().name(),
                Words.of(finding.cause()),
                finding.cause().text(),
                finding.detail(),
                witnesses);
    }
}
