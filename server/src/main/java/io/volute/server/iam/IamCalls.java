package io.volute.server.iam;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.policy.RequestSet;
import io.volute.server.config.OidcConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.IdentityException;
import io.volute.server.identity.IdentityStore;
import io.volute.server.json.VisibleText;
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
    private static final int SHOWN_CHARS = 64;
    private static final String ADMIN = "arn:aws:volute:::server";

    private final IdentityStore identities;
    private final Authority authority;
    private final AuditTrail trail;
    private final HolderCalls holders;
    private final KeyCalls keys;
    private final PolicyCalls policies;
    private final ProviderCalls providers;

    /**
     * @param provider of web identities; empty when there is none
     */
    public IamCalls(
            IdentityStore identities,
            Authority authority,
            AuditTrail trail,
            Optional<OidcConfig> provider) {
        this.identities = identities;
        this.authority = authority;
        this.trail = trail;
        this.providers = new ProviderCalls(provider);
        this.holders = new HolderCalls(identities);
        this.keys = new KeyCalls(identities);
        this.policies = new PolicyCalls(identities);
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
                    "This server does not have the action "
                            + VisibleText.cut(call.action(), SHOWN_CHARS)
                            + " of IAM. See docs/reference/iam.md for those that it has.");
        }
        IamAction action = known.get();
        if (action == IamAction.GET_USER && call.who().root() && !call.asked().has("UserName")) {
            return root(call);
        }
        IamRequest request = IamRequest.of(action, call, identities);
        refuseUnlessAllowed(request, request.arn());
        if (action.takes("NewPath")) {
            refuseUnlessAllowed(request, request.movedArn());
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

    /** Answers the root about itself, which has no name and no path in IAM. */
    private byte[] root(Call call) {
        XmlWriter xml = document("GetUserResponse").begin("GetUserResult").begin("User");
        xml.element("UserId", Principal.ACCOUNT);
        xml.element("Arn", Principal.of(call.who()).arn().orElseThrow()).end().end();
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
        IamKeys conditions = new IamKeys(request);
        AccessRequest asked =
                new AccessRequest(
                        principal,
                        action.policyName(),
                        arn,
                        conditions,
                        new MatchingBudget(),
                        List.of(action.adminPolicyName()));
        RequestSet admin =
                new RequestSet(
                        principal,
                        List.of(action.adminPolicyName()),
                        ADMIN,
                        false,
                        conditions,
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
            case CREATE_USER, CREATE_GROUP, CREATE_ROLE -> holders.create(request, xml);
            case GET_USER, GET_ROLE -> holders.get(request, xml);
            case LIST_USERS, LIST_GROUPS, LIST_ROLES -> holders.list(request, xml);
            case UPDATE_USER -> holders.updateUser(request);
            case UPDATE_GROUP -> holders.updateGroup(request);
            case UPDATE_ROLE -> holders.updateRole(request);
            case UPDATE_ROLE_DESCRIPTION -> holders.describeRole(request, xml);
            case UPDATE_ASSUME_ROLE_POLICY -> holders.updateTrust(request);
            case DELETE_USER, DELETE_GROUP, DELETE_ROLE -> holders.delete(request);
            case TAG_USER, TAG_ROLE, TAG_POLICY -> holders.tag(request);
            case UNTAG_USER, UNTAG_ROLE, UNTAG_POLICY -> holders.untag(request);
            case LIST_USER_TAGS, LIST_ROLE_TAGS, LIST_POLICY_TAGS -> holders.listTags(request, xml);
            case GET_GROUP -> holders.getGroup(request, xml);
            case LIST_GROUPS_FOR_USER -> holders.listGroupsOfUser(request, xml);
            case ADD_USER_TO_GROUP -> holders.setMember(request, true);
            case REMOVE_USER_FROM_GROUP -> holders.setMember(request, false);
            case CREATE_ACCESS_KEY -> {
                return Map.of("createdAccessKey", keys.create(request, xml));
            }
            case LIST_ACCESS_KEYS -> keys.list(request, xml);
            case UPDATE_ACCESS_KEY -> keys.update(request);
            case DELETE_ACCESS_KEY -> keys.delete(request);
            case PUT_USER_POLICY, PUT_GROUP_POLICY, PUT_ROLE_POLICY -> policies.putInline(request);
            case GET_USER_POLICY, GET_GROUP_POLICY, GET_ROLE_POLICY ->
                    policies.getInline(request, xml);
            case LIST_USER_POLICIES, LIST_GROUP_POLICIES, LIST_ROLE_POLICIES ->
                    policies.listInline(request, xml);
            case DELETE_USER_POLICY, DELETE_GROUP_POLICY, DELETE_ROLE_POLICY ->
                    policies.deleteInline(request);
            case PUT_USER_PERMISSIONS_BOUNDARY, PUT_ROLE_PERMISSIONS_BOUNDARY ->
                    holders.putBoundary(request);
            case DELETE_USER_PERMISSIONS_BOUNDARY, DELETE_ROLE_PERMISSIONS_BOUNDARY ->
                    holders.deleteBoundary(request);
            case ATTACH_USER_POLICY, ATTACH_GROUP_POLICY, ATTACH_ROLE_POLICY ->
                    policies.attach(request);
            case DETACH_USER_POLICY, DETACH_GROUP_POLICY, DETACH_ROLE_POLICY ->
                    policies.detach(request);
            case LIST_ATTACHED_USER_POLICIES,
                    LIST_ATTACHED_GROUP_POLICIES,
                    LIST_ATTACHED_ROLE_POLICIES ->
                    policies.listAttached(request, xml);
            case CREATE_POLICY -> policies.create(request, xml);
            case GET_POLICY -> policies.get(request, xml);
            case LIST_POLICIES -> policies.list(request, xml);
            case DELETE_POLICY -> policies.delete(request);
            case LIST_ENTITIES_FOR_POLICY -> policies.listEntities(request, xml);
            case CREATE_POLICY_VERSION -> policies.createVersion(request, xml);
            case GET_POLICY_VERSION -> policies.getVersion(request, xml);
            case LIST_POLICY_VERSIONS -> policies.listVersions(request, xml);
            case LIST_OPEN_ID_CONNECT_PROVIDERS -> providers.list(xml);
            case GET_OPEN_ID_CONNECT_PROVIDER -> providers.get(request, xml);
            case CREATE_OPEN_ID_CONNECT_PROVIDER, DELETE_OPEN_ID_CONNECT_PROVIDER ->
                    throw ProviderCalls.fixed();
            case GET_ACCOUNT_SUMMARY -> holders.summary(xml);
            case GET_LOGIN_PROFILE,
                    DELETE_LOGIN_PROFILE,
                    LIST_MFA_DEVICES,
                    LIST_SSH_PUBLIC_KEYS,
                    LIST_SIGNING_CERTIFICATES,
                    LIST_SERVICE_SPECIFIC_CREDENTIALS,
                    LIST_INSTANCE_PROFILES_FOR_ROLE,
                    LIST_VIRTUAL_MFA_DEVICES,
                    LIST_ACCOUNT_ALIASES,
                    LIST_SAML_PROVIDERS ->
                    holders.answerNone(request, xml);
        }
        return Map.of();
    }
}
