package io.volute.server.iam;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.policy.RequestSet;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.IdentityException;
import io.volute.server.identity.IdentityStore;
import io.volute.server.query.QueryException;
import io.volute.server.query.QueryService;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers calls of IAM (IAM API Reference). The root may call every action, and others what their
 * policies allow; sessions of users call none, as in IAM. Changes are recorded in the audit log
 * before they are made. Thread-safe.
 */
public final class IamCalls implements QueryService {
    private static final String VERSION = "2010-05-08";
    private static final String ADMIN = "arn:aws:volute:::server";

    private final IdentityStore identities;
    private final Authority authority;
    private final AuditTrail trail;
    private final UserCalls users;

    public IamCalls(IdentityStore identities, Authority authority, AuditTrail trail) {
        this.identities = identities;
        this.authority = authority;
        this.trail = trail;
        this.users = new UserCalls(identities);
    }

    @Override
    public String scope() {
        return "iam";
    }

    @Override
    public String namespace() {
        return "https://iam.amazonaws.com/doc/2010-05-08/";
    }

    @Override
    public String operation(String action) {
        return IamAction.of(action).map(IamAction::title).orElse("");
    }

    @Override
    public byte[] answer(Call call) throws IOException {
        if (!call.asked().text("Version").equals(VERSION)) {
            throw QueryException.invalid("Version must be " + VERSION + ".");
        }
        Optional<IamAction> known = IamAction.of(call.action());
        refuseSession(call.who());
        if (known.isEmpty()) {
            if (!call.who().root()) {
                throw QueryException.denied("You may not do this: a policy must allow it.");
            }
            throw new QueryException(
                    400,
                    "InvalidAction",
                    "This server has no such action of IAM. Its reference for IAM lists those that"
                            + " it has.");
        }
        IamAction action = known.get();
        IamRequest request = IamRequest.of(action, call, identities);
        refuseUnlessAllowed(request, request.arn());
        Optional<String> moved = request.path("NewPath");
        if (moved.isPresent()) {
            String kind = action.kind().orElseThrow().word();
            refuseUnlessAllowed(request, Principal.arn(kind, moved.get(), request.name()));
        }
        refuseUnknownParameters(action, call.asked());
        XmlWriter xml = document(action.title() + "Response");
        if (action.hasResult()) {
            xml.begin(action.title() + "Result");
        }
        if (action.isRead()) {
            answer(request, xml);
        } else {
            change(request, xml);
        }
        if (action.hasResult()) {
            xml.end();
        }
        xml.begin("ResponseMetadata").element("RequestId", call.head().requestId());
        return xml.finish();
    }

    /** A session that could make keys would outlive its end and its policy. */
    private static void refuseSession(Credential who) {
        if (who.session().isPresent() && who.kind() != Credential.Kind.ROLE) {
            throw QueryException.denied(
                    "A session of a user does not call IAM: use a lasting access key, or assume a"
                            + " role.");
        }
    }

    /**
     * Refuses a caller that no policy allows the action. A denial of the same under the name of the
     * admin API holds, too.
     */
    private void refuseUnlessAllowed(IamRequest request, String arn) {
        Credential who = request.call().who();
        if (who.root()) {
            return;
        }
        Principal principal = Principal.of(who);
        IamAction action = request.action();
        IamKeys keys = new IamKeys(request);
        AccessRequest asked = new AccessRequest(principal, action.policyName(), arn, keys);
        RequestSet admin =
                new RequestSet(
                        principal,
                        List.of(action.adminPolicyName()),
                        ADMIN,
                        false,
                        keys,
                        key -> false,
                        new MatchingBudget());
        if (authority.decide(who, asked, Optional.empty()) != Decision.ALLOW
                || authority.mayDeny(who, Optional.empty(), admin)) {
            throw QueryException.denied(
                    principal.arn().orElse("anonymous")
                            + " may not "
                            + action.policyName()
                            + " on "
                            + request.kindWord()
                            + " "
                            + request.name()
                            + ": a policy must allow it, and none may deny it or "
                            + action.adminPolicyName()
                            + ".");
        }
    }

    private static void refuseUnknownParameters(IamAction action, QueryParameters asked) {
        for (QueryParameters.Parameter each : asked.parameters()) {
            String name = each.name();
            int dot = name.indexOf('.');
            String first = dot < 0 ? name : name.substring(0, dot);
            if (!action.takes(first) && !List.of("Action", "Version").contains(name)) {
                throw QueryException.notImplemented(
                        action.title() + " takes no parameter " + first + " on this server.");
            }
        }
    }

    private void change(IamRequest request, XmlWriter xml) throws IOException {
        Map<String, Object> details = new LinkedHashMap<>();
        for (QueryParameters.Parameter each : request.call().asked().parameters()) {
            if (!List.of("Action", "Version").contains(each.name())) {
                details.put(each.name(), each.value());
            }
        }
        AuditTrail.Deed deed =
                trail.begin(
                        request.call().head(),
                        request.call().subject().about(),
                        details,
                        IfUnwritten.REFUSED);
        Map<String, Object> outcome = new LinkedHashMap<>();
        request.call().subject().whenEnded(code -> deed.ended(code, outcome));
        outcome.putAll(answer(request, xml));
    }

    /** Answers and returns facts about the outcome for the audit log. */
    private Map<String, String> answer(IamRequest request, XmlWriter xml) throws IOException {
        try {
            return dispatch(request, xml);
        } catch (IdentityException e) {
            throw switch (e.reason()) {
                case NO_SUCH_ENTITY -> new QueryException(404, "NoSuchEntity", e.getMessage());
                case ENTITY_ALREADY_EXISTS ->
                        new QueryException(409, "EntityAlreadyExists", e.getMessage());
                case DELETE_CONFLICT -> new QueryException(409, "DeleteConflict", e.getMessage());
                case MALFORMED_POLICY_DOCUMENT ->
                        new QueryException(400, "MalformedPolicyDocument", e.getMessage());
                case INVALID_INPUT -> QueryException.invalid(e.getMessage());
                case LIMIT_EXCEEDED -> new QueryException(409, "LimitExceeded", e.getMessage());
            };
        }
    }

    private Map<String, String> dispatch(IamRequest request, XmlWriter xml) throws IOException {
        switch (request.action()) {
            case CREATE_USER -> users.create(request, xml);
            case GET_USER -> users.get(request, xml);
            case LIST_USERS -> users.list(request, xml);
            case UPDATE_USER -> users.update(request);
            case DELETE_USER -> users.delete(request);
            case CREATE_ACCESS_KEY -> {
                return Map.of("createdAccessKey", users.createKey(request, xml));
            }
            case LIST_ACCESS_KEYS -> users.listKeys(request, xml);
            case UPDATE_ACCESS_KEY -> users.updateKey(request);
            case DELETE_ACCESS_KEY -> users.deleteKey(request);
        }
        return Map.of();
    }
}
