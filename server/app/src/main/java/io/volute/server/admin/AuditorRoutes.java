package io.volute.server.admin;

import io.volute.adminapi.AuditApi.Auditor;
import io.volute.adminapi.AuditApi.Auditors;
import io.volute.adminapi.ProvenanceView;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.versioning.Provenance;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.util.Base64;
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

    Auditors list() throws IOException {
        return document(provenance.get());
    }

    /** Registers an auditor, or ends one. */
    Auditors set(Arguments asked) throws IOException {
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

    private static Auditors document(Provenance chains) throws IOException {
        HiddenFields fields = chains.confidentiality().fields();
        return new Auditors(
                ProvenanceView.grants(chains.keys()).stream()
                        .filter(grant -> grant.role() == KeyRole.AUDITOR)
                        .map(AuditorRoutes::auditor)
                        .toList(),
                HidingRoutes.names(fields.encrypted()),
                HidingRoutes.names(fields.committed()),
                chains.confidentiality().needed(),
                HidingRoutes.hasEnoughAuditors(chains));
    }

    private static Auditor auditor(KeyGrant grant) {
        return new Auditor(
                grant.owner(),
                grant.key().id().keyId().hex(),
                Base64.getEncoder().encodeToString(grant.key().bytes().toArray()),
                grant.validFrom(),
                ProvenanceView.validUntil(grant));
    }
}
