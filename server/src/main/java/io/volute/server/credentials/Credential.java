package io.volute.server.credentials;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An access key with its secret and the one it stands for.
 *
 * @param accessKey sent in the clear with each request; empty for a request without signature
 * @param secretKey shared secret of SigV4; never logged
 * @param principal stable name of the caller, as kept with what it writes
 * @param displayName for people to read
 * @param generation increases each time the access key is disabled; sessions of an earlier
 *     generation are invalid
 * @param session the policy and the expiry of a temporary credential; empty for a lasting one
 * @param path stands before the name in the ARN of the user or role; begins and ends with a slash
 * @param tags of the user, or of the role with those of its session; policies see them
 */
public record Credential(
        String accessKey,
        String secretKey,
        String principal,
        String displayName,
        Kind kind,
        long generation,
        Optional<Session> session,
        String path,
        SortedMap<String, String> tags) {
    /** Names the root in what it owns, and the owner of what its users make. */
    public static final String ROOT_PRINCIPAL = "root";

    /** The credential of requests without a signature. */
    public static final Credential ANONYMOUS =
            new Credential("", "", "anonymous", "anonymous", Kind.ANONYMOUS, 0, Optional.empty());

    /** The source of a caller's permissions. */
    public enum Kind {
        /** May do everything. */
        ROOT,
        /** A user of the configuration file: owns what it makes. */
        ACCOUNT,
        /** A user of the root's: may do what policies allow, and makes buckets for the root. */
        USER,
        /** A caller that has assumed a role: permissions as for a user. */
        ROLE,
        /** An anonymous caller: may do what policies of buckets allow to everyone. */
        ANONYMOUS
    }

    /**
     * The additional fields of a temporary credential.
     *
     * @param name chosen by the client, or made up
     * @param parent the access key that created it
     * @param user the principal of that access key, who may have assumed a role with it
     * @param policy the document that narrows it
     */
    public record Session(
            String name, String parent, String user, Instant expiry, Optional<String> policy) {}

    public Credential {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    /** Creates a credential with the path {@code /} and without tags. */
    public Credential(
            String accessKey,
            String secretKey,
            String principal,
            String displayName,
            Kind kind,
            long generation,
            Optional<Session> session) {
        this(
                accessKey,
                secretKey,
                principal,
                displayName,
                kind,
                generation,
                session,
                "/",
                new TreeMap<>());
    }

    /** Creates a lasting credential, of the root or of a user of the configuration file. */
    public Credential(
            String accessKey,
            String secretKey,
            String principal,
            String displayName,
            boolean root) {
        this(
                accessKey,
                secretKey,
                principal,
                displayName,
                root ? Kind.ROOT : Kind.ACCOUNT,
                0,
                Optional.empty());
    }

    /**
     * Returns whether a name is that of the root or of anonymous callers, in any case of letters.
     */
    public static boolean isReserved(String name) {
        return name.equalsIgnoreCase(ROOT_PRINCIPAL)
                || name.equalsIgnoreCase(ANONYMOUS.principal());
    }

    /** Returns the caller of work on behalf of a configurer, without an access key. */
    public Credential within(Configurer configurer) {
        boolean isSession = configurer.policy().isPresent() || kind == Kind.ROLE;
        Session narrowed =
                new Session(configurer.session(), "", principal, Instant.MAX, configurer.policy());
        return new Credential(
                "",
                "",
                principal,
                displayName,
                kind,
                0,
                isSession ? Optional.of(narrowed) : Optional.empty(),
                path,
                tags);
    }

    /** May do everything. A session of the root that was narrowed may not. */
    public boolean root() {
        return kind == Kind.ROOT && session.flatMap(Session::policy).isEmpty();
    }

    /** Returns the owner of the buckets that this caller creates. */
    public String account() {
        return kind == Kind.ACCOUNT ? principal : ROOT_PRINCIPAL;
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "Credential[accessKey="
                + accessKey
                + ", principal="
                + principal
                + ", kind="
                + kind
                + "]";
    }
}
