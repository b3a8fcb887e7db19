package io.volute.server.identity;

import io.volute.provenance.format.Hash;
import java.nio.charset.StandardCharsets;

/**
 * Derives the ids that answers of IAM and STS have. An id stays the same for the life of its
 * identity, and another identity of the same name has another one.
 */
public final class PublicId {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int ID_LETTERS = 17;

    private PublicId() {}

    public static String of(Holder holder) {
        String prefix =
                switch (holder.kind()) {
                    case USER -> "AIDA";
                    case GROUP -> "AGPA";
                    case ROLE -> "AROA";
                };
        return prefix + letters(holder.kind().word() + "/" + unique(holder));
    }

    /** Returns the stored id, which is not unique by itself in rows of programs without ids. */
    static String unique(Holder holder) {
        return holder.id().startsWith(IdentityJson.MADE_UP_ID)
                ? holder.name() + "/" + holder.id()
                : holder.id();
    }

    public static String of(ManagedPolicy policy) {
        return "ANPA" + letters(policy.name() + "/" + policy.created());
    }

    private static String letters(String source) {
        Hash hash = Hash.ofContent(source.getBytes(StandardCharsets.UTF_8));
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < ID_LETTERS; i++) {
            letters.append(LETTERS.charAt(Integer.parseInt(hash.hex(), 2 * i, 2 * i + 2, 16) & 31));
        }
        return letters.toString();
    }
}
