package io.volute.server.admin;

import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRecord;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.Source;
import io.volute.provenance.secrecy.Reading;
import io.volute.versioning.Provenance;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Signed history as JSON. Schemas: docs/reference/openapi.yaml. */
public final class ProvenanceDocument {
    private static final String ALGORITHM = "algorithm";
    private static final String KEY_ID = "keyId";
    private static final String SEQUENCE = "sequence";

    private ProvenanceDocument() {}

    /** An entry, as far as it can be read. */
    public static Map<String, Object> entry(Reading reading) {
        EntryRecord record = reading.record();
        Entry entry = record.entry();
        Entry.Placement at = entry.placement();
        Hash link = Spiral.signedLink(at.shape(), Entry.hash(record.encoded()), record.links());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(SEQUENCE, entry.sequence());
        document.put("kind", HistoryDocument.word(entry.kind()));
        document.put("time", time(at.timeMillis()));
        document.put("commitSequence", at.commitSequence());
        document.put("versionId", entry.versionId().text());
        document.put("principal", field(reading, 0));
        document.put("details", details(reading));
        entry.content().ifPresent(hash -> document.put("content", hash.hex()));
        entry.source().ifPresent(source -> document.put("source", source(source)));
        entry.attestation().ifPresent(each -> document.put("attestation", attestation(each)));
        document.put("signers", entry.signers().stream().map(ProvenanceDocument::signer).toList());
        document.put("chainId", at.chainId().hex());
        document.put("link", link.hex());
        return document;
    }

    /**
     * Adds the hidden fields, the number of auditors that decryption needs, and whether there are
     * enough.
     *
     * @param chains have the keys of the auditors
     */
    static void addHidden(Map<String, Object> document, HiddenFields fields, Provenance chains) {
        int needed = chains.confidentiality().needed();
        document.put("encrypted", names(fields.encrypted()));
        document.put("committed", names(fields.committed()));
        document.put("needed", needed);
        document.put("enough", chains.keys().open(KeyRole.AUDITOR).size() >= needed);
    }

    private static List<String> names(Set<EntryField> fields) {
        return fields.stream().map(EntryField::text).sorted().toList();
    }

    /** An instant that anybody may have written. */
    private static Instant time(long millis) {
        return Instant.ofEpochMilli(millis);
    }

    private static List<Map<String, Object>> details(Reading reading) {
        List<String> names = reading.record().entry().fieldNames();
        List<Map<String, Object>> details = new ArrayList<>();
        for (int index = 1; index < names.size(); index++) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", names.get(index));
            document.putAll(field(reading, index));
            details.add(document);
        }
        return details;
    }

    private static Map<String, Object> field(Reading reading, int index) {
        Field field = reading.record().entry().fields().get(index);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("form", HistoryDocument.word(field.form()));
        Optional<Bytes> value = reading.text(index);
        if (value.isPresent() && field.form() != Field.Form.PLAIN) {
            document.put("read", true);
        }
        try {
            if (value.isPresent()) {
                ByteBuffer bytes = ByteBuffer.wrap(value.get().toArray());
                String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
                document.put("text", text);
                return document;
            }
        } catch (CharacterCodingException e) {
            // Bytes, as a hash.
        }
        document.put("hex", value.orElse(field.value()).hex());
        return document;
    }

    private static Map<String, Object> source(Source source) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("chainId", source.chainId().hex());
        document.put(SEQUENCE, source.head().sequence());
        document.put("link", source.head().link().hex());
        return document;
    }

    private static Map<String, Object> attestation(Attestation attestation) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("by", HistoryDocument.word(attestation.by()));
        document.put("signer", signer(attestation.signer()));
        document.put("time", time(attestation.timeMillis()));
        return document;
    }

    private static Map<String, Object> signer(SignerId signer) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(ALGORITHM, HistoryDocument.word(signer.algorithm()));
        document.put(KEY_ID, signer.keyId().hex());
        return document;
    }

    static Map<String, Object> keys(KeyList list) throws IOException {
        Set<SignerId> ids = new LinkedHashSet<>();
        for (int number = 0; number < list.size(); number++) {
            ids.add(KeyRecord.decode(list.record(number)).grant().key().id());
        }
        List<Map<String, Object>> keys =
                ids.stream()
                        .map(list::find)
                        .flatMap(Optional::stream)
                        .map(ProvenanceDocument::key)
                        .toList();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("storeId", list.storeId().hex());
        document.put("rootKey", signer(list.root()));
        document.put("records", list.size());
        document.put("keys", keys);
        return document;
    }

    private static Map<String, Object> key(KeyGrant grant) {
        Map<String, Object> document = signer(grant.key().id());
        document.put("role", HistoryDocument.word(grant.role()));
        document.put("owner", grant.owner());
        document.put("validFrom", grant.validFrom());
        if (grant.validUntil() != KeyGrant.OPEN) {
            document.put("validUntil", grant.validUntil());
        }
        return document;
    }

    /** A time without signatures. */
    static Map<String, Object> unsigned(SettingsHistory.UnsignedPeriod period) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("from", time(period.from().timeMillis()));
        document.put("fromCommit", period.from().commitSequence());
        period.until()
                .ifPresent(
                        until -> {
                            document.put("until", time(until.timeMillis()));
                            document.put("untilCommit", until.commitSequence());
                        });
        return document;
    }

    /**
     * A finding of a chain.
     *
     * @param witnesses later entries that do not fit the one it is about
     */
    static Map<String, Object> finding(String chain, Finding finding, int witnesses) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("chain", chain);
        document.put(SEQUENCE, finding.sequence());
        document.put("promise", finding.promise().name());
        document.put("cause", HistoryDocument.word(finding.cause()));
        document.put("text", finding.cause().text());
        document.put("detail", finding.detail());
        document.put("contradictedBy", witnesses);
        return document;
    }
}
