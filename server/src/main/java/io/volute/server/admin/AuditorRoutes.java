package io.volute.server.admin;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRecord;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The routes of the auditors, for whom secret fields of entries are encrypted. Thread-safe. */
final class AuditorRoutes {
    /** The form of names that people cannot mistake for each other. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,99}");

    private final Supplier<Provenance> provenance;

    AuditorRoutes(Supplier<Provenance> provenance) {
        this.provenance = provenance;
    }

    Map<String, Object> list(Arguments asked) throws IOException {
        asked.only();
        return document(provenance.get());
    }

    /** Registers an auditor, or ends one. */
    Map<String, Object> set(Arguments asked) throws IOException {
        asked.only("name", "publicKey", "end");
        String name = asked.neededText("name");
        Provenance chains = provenance.get();
        if (asked.flag("end")) {
            if (asked.has("publicKey")) {
                throw AdminException.badRequest("publicKey goes with a new auditor, not with end");
            }
            chains.endAuditor(name);
        } else {
            if (!NAME.matcher(name).matches()) {
                throw AdminException.badRequest(
                        "name has 1 to 100 letters, digits, spaces and . _ @ -, and begins with a"
                                + " letter or digit");
            }
            chains.addAuditor(name, publicKey(asked));
        }
        return document(chains);
    }

    private static PublicKey publicKey(Arguments asked) {
        try {
            byte[] bytes = Base64.getDecoder().decode(asked.neededText("publicKey"));
            PublicKey key = new PublicKey(SignatureAlgorithm.X25519, Bytes.of(bytes));
            if (key.isUsable()) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest("publicKey is no X25519 key: 32 bytes in Base64");
        }
        throw AdminException.badRequest(
                "publicKey is a point with which no secret can be agreed on: make another one");
    }

    private static Map<String, Object> document(Provenance chains) throws IOException {
        KeyList list = chains.keys();
        Set<SignerId> ids = new LinkedHashSet<>();
        for (int number = 0; number < list.size(); number++) {
            KeyGrant grant = KeyRecord.decode(list.record(number)).grant();
            if (grant.role() == KeyRole.AUDITOR) {
                ids.add(grant.key().id());
            }
        }
        List<Map<String, Object>> auditors =
                ids.stream()
                        .map(list::find)
                        .flatMap(Optional::stream)
                        .map(AuditorRoutes::auditor)
                        .toList();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("auditors", auditors);
        ProvenanceDocument.addHidden(document, chains.confidentiality().fields(), chains);
        return document;
    }

    private static Map<String, Object> auditor(KeyGrant grant) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", grant.owner());
        document.put("keyId", grant.key().id().keyId().hex());
        document.put(
                "publicKey", Base64.getEncoder().encodeToString(grant.key().bytes().toArray()));
        document.put("validFrom", grant.validFrom());
        if (grant.validUntil() != KeyGrant.OPEN) {
            document.put("validUntil", grant.validUntil());
        }
        return document;
    }
}
