package io.volute.server.s3.call;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The condition keys of a request that do not depend on its target: those of its caller, its
 * signature, its connection and its headers (IAM User Guide, "Global condition context keys";
 * Service Authorization Reference, "Condition keys for Amazon S3").
 */
public final class RequestKeys implements ConditionKeys {
    private static final String HEADER_KEY = "s3:x-amz-";
    private static final String SERVICE = "s3:";
    private static final String PRINCIPAL_TAG = "aws:principaltag/";

    private final HttpHead head;
    private final QueryParameters query;
    private final Verified verified;
    private final Principal principal;
    private final Instant now;

    public RequestKeys(HttpHead head, QueryParameters query, Verified verified, Instant now) {
        this.head = head;
        this.query = query;
        this.verified = verified;
        this.principal = Principal.of(verified.credential());
        this.now = now;
    }

    @Override
    public List<String> values(String key) {
        return key.startsWith(PRINCIPAL_TAG)
                ? ConditionKeys.tag(verified.credential().tags(), key)
                : value(key).stream().toList();
    }

    private Optional<String> value(String key) {
        return switch (key) {
            case "aws:sourceip" -> Optional.of(head.remoteAddress());
            case "aws:securetransport" -> Optional.of(Boolean.toString(head.secure()));
            case "aws:currenttime" -> Optional.of(now.toString());
            case "aws:epochtime" -> Optional.of(Long.toString(now.getEpochSecond()));
            case "aws:useragent" -> verified.headers().first("user-agent");
            case "aws:referer" -> verified.headers().first("referer");
            case "aws:username" ->
                    principal.kind() == Principal.Kind.USER
                            ? Optional.of(principal.name())
                            : Optional.empty();
            case "aws:userid" -> Optional.of(userId());
            case "aws:principalarn" -> principal.arn();
            case "aws:principaltype" -> Optional.of(principal.kind().policyName());
            case "aws:principalaccount" ->
                    principal.kind() == Principal.Kind.ANONYMOUS
                            ? Optional.empty()
                            : Optional.of(Principal.ACCOUNT);
            case "s3:prefix", "s3:delimiter", "s3:max-keys" ->
                    query.get(key.substring(SERVICE.length()));
            case "s3:authtype" ->
                    switch (verified.kind()) {
                        case HEADER, HEADER_V2 -> Optional.of("REST-HEADER");
                        case QUERY, QUERY_V2 -> Optional.of("REST-QUERY-STRING");
                        case FORM, FORM_V2 -> Optional.of("POST");
                        case NONE -> Optional.empty();
                    };
            case "s3:signatureversion" ->
                    switch (verified.kind()) {
                        case HEADER, QUERY, FORM -> Optional.of("AWS4-HMAC-SHA256");
                        case HEADER_V2, QUERY_V2, FORM_V2 -> Optional.of("AWS");
                        case NONE -> Optional.empty();
                    };
            case "s3:signatureage" ->
                    switch (verified.kind()) {
                        case HEADER, QUERY, FORM ->
                                Optional.of(
                                        Long.toString(
                                                now.toEpochMilli()
                                                        - verified.time().toEpochMilli()));
                        // The age of a signature of version 2 is in no request.
                        case HEADER_V2, QUERY_V2, FORM_V2, NONE -> Optional.empty();
                    };
            case "s3:tlsversion" -> head.tlsVersion();
            case String other ->
                    other.startsWith(HEADER_KEY)
                            ? verified.headers().first(other.substring(SERVICE.length()))
                            : Optional.empty();
        };
    }

    private String userId() {
        return principal.kind() == Principal.Kind.ROLE
                ? principal.name() + ":" + principal.session()
                : principal.name();
    }
}
