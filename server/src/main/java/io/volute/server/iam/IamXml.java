package io.volute.server.iam;

import io.volute.provenance.format.Hash;
import io.volute.server.auth.policy.Principal;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.UserKey;
import io.volute.server.s3.xml.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.SortedMap;

/** Writes identities as elements of IAM's answers (IAM API Reference, "Data types"). */
final class IamXml {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int ID_LETTERS = 17;

    private IamXml() {}

    /** Returns the word for a kind in the names of elements and parameters. */
    static String title(Kind kind) {
        return switch (kind) {
            case USER -> "User";
            case GROUP -> "Group";
            case ROLE -> "Role";
        };
    }

    static String arn(Holder holder) {
        return Principal.arn(holder.kind().word(), holder.details().path(), holder.name());
    }

    /** Returns the id of a holder in IAM's form. It stays the same for the life of the holder. */
    static String id(Holder holder) {
        String prefix =
                switch (holder.kind()) {
                    case USER -> "AIDA";
                    case GROUP -> "AGPA";
                    case ROLE -> "AROA";
                };
        return prefix + letters(holder.kind().word() + "/" + holder.name() + "/" + holder.id());
    }

    static String letters(String source) {
        Hash hash = Hash.ofContent(source.getBytes(StandardCharsets.UTF_8));
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < ID_LETTERS; i++) {
            letters.append(LETTERS.charAt(Integer.parseInt(hash.hex(), 2 * i, 2 * i + 2, 16) & 31));
        }
        return letters.toString();
    }

    static String date(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Writes the fields of a holder that lists show. */
    static void holder(XmlWriter xml, Holder holder) {
        String title = title(holder.kind());
        xml.element("Path", holder.details().path());
        xml.element(title + "Name", holder.name());
        xml.element(title + "Id", id(holder));
        xml.element("Arn", arn(holder));
        xml.element("CreateDate", date(holder.created()));
    }

    static void tags(XmlWriter xml, SortedMap<String, String> tags) {
        if (tags.isEmpty()) {
            return;
        }
        xml.begin("Tags");
        tags.forEach(
                (key, value) ->
                        xml.begin("member").element("Key", key).element("Value", value).end());
        xml.end();
    }

    /** Writes the fields of a key, without its secret. */
    static void key(XmlWriter xml, UserKey key) {
        xml.element("UserName", key.user());
        xml.element("AccessKeyId", key.accessKey());
        xml.element("Status", key.active() ? "Active" : "Inactive");
        xml.element("CreateDate", date(key.created()));
    }
}
