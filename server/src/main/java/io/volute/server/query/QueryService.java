package io.volute.server.query;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.Subject;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.Set;

/** A service that is called by forms. Thread-safe. */
public interface QueryService {
    /** Returns the name of the service in the scope of signatures. */
    String scope();

    /** Returns the XML namespace of answers. */
    String namespace();

    /** Returns the actions that callers without a signature may call. */
    default Set<String> unsignedActions() {
        return Set.of();
    }

    /** Returns the name of an action in logs and metrics; empty when there is no such action. */
    String operation(String action);

    /**
     * Answers a call.
     *
     * @throws QueryException when the call is refused
     * @throws IOException when the store cannot be read or written
     */
    byte[] answer(Call call) throws IOException;

    /** Begins a document with the namespace of the service. */
    default XmlWriter document(String root) {
        return XmlWriter.plain().beginWith(root, "xmlns=\"" + namespace() + "\"");
    }

    /**
     * A call by an authenticated caller, or without a signature by anybody.
     *
     * @param asked the form
     * @param keys condition keys of the request
     * @param subject knows the caller and the operation
     */
    record Call(
            HttpHead head,
            Verified verified,
            QueryParameters asked,
            ConditionKeys keys,
            Subject subject) {

        public Credential who() {
            return verified.credential();
        }

        /** Returns the named action. */
        public String action() {
            return asked.text("Action");
        }
    }
}
