package io.volute.server.s3.acl;

import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import java.util.Arrays;
import java.util.Optional;

/** A user or group that has a grant. */
sealed interface Grantee {

    /** Returns whether a caller is the grantee, or belongs to it. */
    boolean covers(Credential who);

    /**
     * A user. A role is none, also when it has the name of a user.
     *
     * @param id canonical id: the principal
     */
    record User(String id) implements Grantee {
        @Override
        public boolean covers(Credential who) {
            return switch (who.kind()) {
                case ROOT, ACCOUNT, USER -> who.principal().equals(id);
                case ROLE, ANONYMOUS -> false;
            };
        }
    }

    /** A group of S3's. The words are at rest. */
    enum Group implements Grantee {
        ALL_USERS("AllUsers", "http://acs.amazonaws.com/groups/global/AllUsers"),
        AUTHENTICATED_USERS(
                "AuthenticatedUsers", "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"),
        /** The delivery of server access logs. */
        LOG_DELIVERY("LogDelivery", "http://acs.amazonaws.com/groups/s3/LogDelivery");

        private final String word;
        private final String uri;

        Group(String word, String uri) {
            this.word = word;
            this.uri = uri;
        }

        String word() {
            return word;
        }

        String uri() {
            return uri;
        }

        /** Returns whether S3 calls its grants public. */
        boolean isPublic() {
            return this != LOG_DELIVERY;
        }

        static Optional<Group> ofUri(String uri) {
            return Arrays.stream(values()).filter(each -> each.uri.equals(uri)).findFirst();
        }

        static Optional<Group> ofWord(String word) {
            return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
        }

        @Override
        public boolean covers(Credential who) {
            return switch (this) {
                case ALL_USERS -> true;
                case AUTHENTICATED_USERS -> who.kind() != Kind.ANONYMOUS;
                case LOG_DELIVERY -> false;
            };
        }
    }
}
