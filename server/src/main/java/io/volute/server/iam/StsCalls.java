package io.volute.server.iam;

import io.volute.server.Limits;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.MalformedPolicyException;
import io.volute.server.auth.policy.Policy;
import io.volute.server.auth.policy.Principal;
import io.volute.server.config.OidcConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.PublicId;
import io.volute.server.identity.SessionTokens;
import io.volute.server.oidc.OidcProvider;
import io.volute.server.oidc.WebIdentity;
import io.volute.server.query.QueryException;
import io.volute.server.query.QueryService;
import io.volute.server.query.TagParameters;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.xml.XmlWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * AssumeRole, AssumeRoleWithWebIdentity, GetSessionToken and GetCallerIdentity (STS API Reference).
 * A session cannot create sessions; otherwise its holder could escape its policy, or prolong it for
 * ever. Thread-safe.
 */
public final class StsCalls implements QueryService {
    private static final String WEB = "AssumeRoleWithWebIdentity";
    private static final Set<String> NAMES =
            Set.of("AssumeRole", "GetSessionToken", "GetCallerIdentity");
    private static final String NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";
    private static final String VERSION = "2011-06-15";
    private static final String NAME = "[A-Za-z0-9+=,.@_-]{2,64}";
    private static final int SECONDS_LEAST = 900;

    private final IdentityStore identities;
    private final SessionTokens tokens;
    private final RoleTrust trust;
    private final InstantSource clock;
    private final AuditTrail trail;
    private final Optional<OidcProvider> provider;

    /**
     * @param trail records sessions before they are issued
     * @param provider whose tokens are accepted; empty when there is none
     */
    public StsCalls(
            IdentityStore identities,
            SessionTokens tokens,
            Authority authority,
            InstantSource clock,
            AuditTrail trail,
            Optional<OidcProvider> provider) {
        this.identities = identities;
        this.tokens = tokens;
        this.trust = new RoleTrust(identities, authority);
        this.clock = clock;
        this.trail = trail;
        this.provider = provider;
    }

    @Override
    public String scope() {
        return "sts";
    }

    @Override
    public String namespace() {
        return NAMESPACE;
    }

    @Override
    public String operation(String action) {
        return has(action) ? action : "";
    }

    @Override
    public Set<String> unsignedActions() {
        return provider.isPresent() ? Set.of(WEB) : Set.of();
    }

    private boolean has(String action) {
        return NAMES.contains(action) || unsignedActions().contains(action);
    }

    @Override
    public byte[] answer(Call call) {
        String action = call.action();
        if (!call.asked().text("Version").equals(VERSION)) {
            throw QueryException.invalid("Version must be " + VERSION + ".");
        }
        if (!has(action)) {
            throw new QueryException(
                    400,
                    "InvalidAction",
                    "This server has AssumeRole, GetSessionToken and GetCallerIdentity, and with"
                            + " the setting identity.oidc.issuer AssumeRoleWithWebIdentity.");
        }
        XmlWriter xml = document(action + "Response").begin(action + "Result");
        Map<String, Object> details = new LinkedHashMap<>();
        Optional<SessionTokens.Issued> issued =
                switch (action) {
                    case WEB -> assumeByToken(xml, call, details);
                    case "AssumeRole" -> assumeRole(xml, call.asked(), call.who(), call.keys());
                    case "GetSessionToken" -> sessionToken(xml, call.asked(), call.who());
                    default -> callerIdentity(xml, call.who());
                };
        xml.end().begin("ResponseMetadata").element("RequestId", call.head().requestId());
        issued.ifPresent(each -> record(call, details, each.credential().accessKey()));
        return xml.finish();
    }

    /** Records a new credential before it leaves the server, so that none is in use unrecorded. */
    private void record(Call call, Map<String, Object> details, String accessKey) {
        for (String name : List.of("RoleArn", "RoleSessionName", "DurationSeconds", "Policy")) {
            call.asked().get(name).ifPresent(value -> details.put(name, value));
        }
        SortedMap<String, String> tags = TagParameters.tags(call.asked());
        if (!tags.isEmpty()) {
            details.put("tags", tags);
        }
        details.put("issuedAccessKey", accessKey);
        trail.done(call.head(), call.subject().about(), details);
    }

    private Optional<SessionTokens.Issued> callerIdentity(XmlWriter xml, Credential who) {
        Principal principal = Principal.of(who);
        xml.element("Arn", principal.arn().orElseThrow());
        xml.element("UserId", userId(who)).element("Account", Principal.ACCOUNT);
        return Optional.empty();
    }

    /** Returns the id that IAM answers, with the session of a role. */
    private String userId(Credential who) {
        return switch (who.kind()) {
            case ROOT -> Principal.ACCOUNT;
            case USER -> id(Holder.Kind.USER, who);
            case ROLE ->
                    id(Holder.Kind.ROLE, who)
                            + who.session().map(session -> ":" + session.name()).orElse("");
            case ACCOUNT, ANONYMOUS -> who.principal();
        };
    }

    private String id(Holder.Kind kind, Credential who) {
        return identities.holder(kind, who.principal()).map(PublicId::of).orElse(who.principal());
    }

    private Optional<SessionTokens.Issued> sessionToken(
            XmlWriter xml, QueryParameters asked, Credential who) {
        only(asked, Set.of("DurationSeconds"));
        refuseSession(who);
        Instant expiry =
                expiry(asked, Limits.SESSION_SECONDS_DEFAULT, Limits.SESSION_TOKEN_SECONDS_MAX);
        String name = "session-" + Long.toHexString(clock.millis());
        SessionTokens.Issued issued = tokens.issue(who, name, expiry, Optional.empty());
        credentials(xml, issued);
        return Optional.of(issued);
    }

    private Optional<SessionTokens.Issued> assumeRole(
            XmlWriter xml, QueryParameters asked, Credential who, ConditionKeys keys) {
        only(
                asked,
                Set.of("RoleArn", "RoleSessionName", "DurationSeconds", "Policy", "ExternalId"),
                "(Tags|TransitiveTagKeys)[.]member[.].+");
        SessionTags tags = SessionTags.of(asked);
        refuseSession(who);
        String arn = roleArn(asked);
        String name = sessionName(asked);
        Instant expiry = expiry(asked, Limits.ROLE_SECONDS_DEFAULT, Limits.ROLE_SECONDS_MAX);
        Optional<String> policy = asked.get("Policy").map(StsCalls::checked);
        Principal self = Principal.of(who);
        SessionTokens.Issued issued;
        if (self.arn().equals(Optional.of(arn))) {
            if (!tags.tags().isEmpty()) {
                throw QueryException.invalid("A session of one's own has no tags: name a role.");
            }
            issued = tokens.issue(who, name, expiry, policy);
        } else {
            RoleTrust.Attempt attempt =
                    new RoleTrust.Attempt(
                            who, self, "sts:AssumeRole", externalId(asked, keys), tags);
            Holder role = trust.role(arn, attempt);
            refuseLonger(expiry, role);
            issued = tokens.issue(who, role, tags.tags(), name, expiry, policy);
        }
        credentials(xml, issued);
        assumedUser(xml, issued);
        return Optional.of(issued);
    }

    /** Assumes a role for a caller without a key, whom a token of the provider names. */
    private Optional<SessionTokens.Issued> assumeByToken(
            XmlWriter xml, Call call, Map<String, Object> details) {
        QueryParameters asked = call.asked();
        only(
                asked,
                Set.of(
                        "RoleArn",
                        "RoleSessionName",
                        "WebIdentityToken",
                        "DurationSeconds",
                        "Policy"));
        String arn = roleArn(asked);
        String name = sessionName(asked);
        Instant expiry = expiry(asked, Limits.ROLE_SECONDS_DEFAULT, Limits.ROLE_SECONDS_MAX);
        Optional<String> policy = asked.get("Policy").map(StsCalls::checked);
        WebIdentity caller = provider.orElseThrow().verify(asked.text("WebIdentityToken"));
        OidcConfig from = caller.provider();
        SessionTags tags = SessionTags.of(caller);
        RoleTrust.Attempt attempt =
                new RoleTrust.Attempt(
                        Credential.ANONYMOUS,
                        Principal.ofProvider(from.name()),
                        "sts:" + WEB,
                        caller.keys(name, call.keys()),
                        tags);
        Holder role = trust.role(arn, attempt);
        refuseLonger(expiry, role);
        SessionTokens.Issued issued =
                tokens.issueFederated(
                        from.name(), caller.subject(), role, tags.tags(), name, expiry, policy);
        if (!tags.tags().isEmpty()) {
            details.put("tags", tags.tags());
        }
        xml.element("SubjectFromWebIdentityToken", caller.subject());
        xml.element("Audience", caller.audiences().getFirst());
        assumedUser(xml, issued);
        credentials(xml, issued);
        xml.element("Provider", from.issuer());
        details.put("provider", from.issuer());
        details.put("subject", caller.subject());
        details.put("audience", caller.audiences().getFirst());
        return Optional.of(issued);
    }

    private void assumedUser(XmlWriter xml, SessionTokens.Issued issued) {
        xml.begin("AssumedRoleUser");
        xml.element("Arn", Principal.of(issued.credential()).arn().orElseThrow());
        xml.element("AssumedRoleId", userId(issued.credential())).end();
    }

    private static String roleArn(QueryParameters asked) {
        return asked.text("RoleArn")
                .replaceFirst("^(arn:aws:iam::):", "$1" + Principal.ACCOUNT + ":");
    }

    private static String sessionName(QueryParameters asked) {
        String name = asked.text("RoleSessionName");
        if (!name.matches(NAME)) {
            throw QueryException.invalid(
                    "RoleSessionName has 2 to 64 letters, digits or any of +=,.@_-");
        }
        return name;
    }

    private void refuseLonger(Instant expiry, Holder role) {
        if (clock.instant().plusSeconds(role.details().sessionSeconds()).isBefore(expiry)) {
            throw QueryException.invalid(
                    "DurationSeconds is more than the role allows: "
                            + role.details().sessionSeconds());
        }
    }

    private static ConditionKeys externalId(QueryParameters asked, ConditionKeys keys) {
        return key ->
                key.equals("sts:externalid")
                        ? asked.get("ExternalId").stream().toList()
                        : keys.values(key);
    }

    private static void refuseSession(Credential who) {
        if (who.session().isPresent()) {
            throw QueryException.denied("A session makes no sessions: use a lasting access key.");
        }
    }

    private static void only(QueryParameters asked, Set<String> known) {
        only(asked, known, "");
    }

    /**
     * @param lists a regular expression for names of members of lists
     */
    private static void only(QueryParameters asked, Set<String> known, String lists) {
        for (QueryParameters.Parameter each : asked.parameters()) {
            String name = each.name();
            if (!known.contains(name)
                    && !List.of("Action", "Version").contains(name)
                    && !name.matches(lists)) {
                throw QueryException.invalid(
                        "This server does not know the parameter " + name + ".");
            }
        }
    }

    private static String checked(String document) {
        if (document.length() > Limits.SESSION_POLICY_CHARS_MAX) {
            throw new QueryException(
                    400,
                    "PackedPolicyTooLarge",
                    "A session policy has "
                            + Limits.SESSION_POLICY_CHARS_MAX
                            + " characters at most.");
        }
        try {
            Policy.ofIdentity(document);
        } catch (MalformedPolicyException e) {
            throw new QueryException(400, "MalformedPolicyDocument", e.getMessage());
        }
        return document;
    }

    private Instant expiry(QueryParameters asked, int usual, int most) {
        String text = asked.get("DurationSeconds").orElse(Integer.toString(usual));
        if (!text.matches("[0-9]{1,9}")
                || Integer.parseInt(text) < SECONDS_LEAST
                || Integer.parseInt(text) > most) {
            throw QueryException.invalid(
                    "DurationSeconds is a number from " + SECONDS_LEAST + " to " + most + ".");
        }
        return clock.instant().plusSeconds(Integer.parseInt(text)).truncatedTo(ChronoUnit.SECONDS);
    }

    private static void credentials(XmlWriter xml, SessionTokens.Issued issued) {
        Credential credential = issued.credential();
        xml.begin("Credentials").element("AccessKeyId", credential.accessKey());
        xml.element("SecretAccessKey", credential.secretKey());
        xml.element("SessionToken", issued.token());
        xml.element("Expiration", HttpDates.document(credential.session().orElseThrow().expiry()));
        xml.end();
    }
}
