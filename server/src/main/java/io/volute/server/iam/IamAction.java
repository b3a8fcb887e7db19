package io.volute.server.iam;

import io.volute.server.identity.Holder.Kind;
import io.volute.server.s3.request.S3Response.About;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The actions of IAM that this server has (IAM API Reference, "Actions"). */
enum IamAction {
    CREATE_USER(Scope.NEW, Kind.USER, "CreateUser", "Path", "Tags", IamRequest.BOUNDARY),
    GET_USER(Scope.SELF, Kind.USER, "ListUsers"),
    LIST_USERS(Scope.ALL, Kind.USER, "ListUsers"),
    UPDATE_USER(Scope.ONE, Kind.USER, "CreateUser", "NewPath", "NewUserName"),
    DELETE_USER(Scope.ONE, Kind.USER, "DeleteUser"),
    TAG_USER(Scope.ONE, Kind.USER, "CreateUser", "Tags"),
    UNTAG_USER(Scope.ONE, Kind.USER, "CreateUser", "TagKeys"),
    LIST_USER_TAGS(Scope.ONE, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    CREATE_ACCESS_KEY(Scope.SELF, Kind.USER, "CreateKey"),
    LIST_ACCESS_KEYS(Scope.SELF, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    UPDATE_ACCESS_KEY(Scope.SELF, Kind.USER, "SetKey", "AccessKeyId", "Status"),
    DELETE_ACCESS_KEY(Scope.SELF, Kind.USER, "DeleteKey", "AccessKeyId"),
    LIST_GROUPS_FOR_USER(Scope.ONE, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),

    CREATE_GROUP(Scope.NEW, Kind.GROUP, "CreateGroup", "Path"),
    GET_GROUP(Scope.ONE, Kind.GROUP, "ListGroups", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_GROUPS(Scope.ALL, Kind.GROUP, "ListGroups"),
    UPDATE_GROUP(Scope.ONE, Kind.GROUP, "CreateGroup", "NewPath", "NewGroupName"),
    DELETE_GROUP(Scope.ONE, Kind.GROUP, "DeleteGroup"),
    ADD_USER_TO_GROUP(Scope.ONE, Kind.GROUP, "SetMember", "UserName"),
    REMOVE_USER_FROM_GROUP(Scope.ONE, Kind.GROUP, "SetMember", "UserName"),

    CREATE_ROLE(
            Scope.NEW,
            Kind.ROLE,
            "CreateRole",
            "Path",
            "Tags",
            "AssumeRolePolicyDocument",
            "Description",
            "MaxSessionDuration",
            IamRequest.BOUNDARY),
    GET_ROLE(Scope.ONE, Kind.ROLE, "ListRoles"),
    LIST_ROLES(Scope.ALL, Kind.ROLE, "ListRoles"),
    UPDATE_ROLE(Scope.ONE, Kind.ROLE, "CreateRole", "Description", "MaxSessionDuration"),
    UPDATE_ROLE_DESCRIPTION(Scope.ONE, Kind.ROLE, "CreateRole", "Description"),
    UPDATE_ASSUME_ROLE_POLICY(Scope.ONE, Kind.ROLE, "CreateRole", "PolicyDocument"),
    DELETE_ROLE(Scope.ONE, Kind.ROLE, "DeleteRole"),
    TAG_ROLE(Scope.ONE, Kind.ROLE, "CreateRole", "Tags"),
    UNTAG_ROLE(Scope.ONE, Kind.ROLE, "CreateRole", "TagKeys"),
    LIST_ROLE_TAGS(Scope.ONE, Kind.ROLE, "ListRoles", IamPage.MARKER, IamPage.MAX_ITEMS),

    PUT_USER_POLICY(Scope.ONE, Kind.USER, "PutInlinePolicy", "PolicyName", "PolicyDocument"),
    PUT_GROUP_POLICY(Scope.ONE, Kind.GROUP, "PutInlinePolicy", "PolicyName", "PolicyDocument"),
    PUT_ROLE_POLICY(Scope.ONE, Kind.ROLE, "PutInlinePolicy", "PolicyName", "PolicyDocument"),
    GET_USER_POLICY(Scope.ONE, Kind.USER, "ListUsers", "PolicyName"),
    GET_GROUP_POLICY(Scope.ONE, Kind.GROUP, "ListGroups", "PolicyName"),
    GET_ROLE_POLICY(Scope.ONE, Kind.ROLE, "ListRoles", "PolicyName"),
    LIST_USER_POLICIES(Scope.ONE, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_GROUP_POLICIES(Scope.ONE, Kind.GROUP, "ListGroups", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_ROLE_POLICIES(Scope.ONE, Kind.ROLE, "ListRoles", IamPage.MARKER, IamPage.MAX_ITEMS),
    DELETE_USER_POLICY(Scope.ONE, Kind.USER, "PutInlinePolicy", "PolicyName"),
    DELETE_GROUP_POLICY(Scope.ONE, Kind.GROUP, "PutInlinePolicy", "PolicyName"),
    DELETE_ROLE_POLICY(Scope.ONE, Kind.ROLE, "PutInlinePolicy", "PolicyName"),

    PUT_USER_PERMISSIONS_BOUNDARY(Scope.ONE, Kind.USER, "PutInlinePolicy", IamRequest.BOUNDARY),
    PUT_ROLE_PERMISSIONS_BOUNDARY(Scope.ONE, Kind.ROLE, "PutInlinePolicy", IamRequest.BOUNDARY),
    DELETE_USER_PERMISSIONS_BOUNDARY(Scope.ONE, Kind.USER, "PutInlinePolicy"),
    DELETE_ROLE_PERMISSIONS_BOUNDARY(Scope.ONE, Kind.ROLE, "PutInlinePolicy"),

    ATTACH_USER_POLICY(Scope.ONE, Kind.USER, "AttachPolicy", "PolicyArn"),
    ATTACH_GROUP_POLICY(Scope.ONE, Kind.GROUP, "AttachPolicy", "PolicyArn"),
    ATTACH_ROLE_POLICY(Scope.ONE, Kind.ROLE, "AttachPolicy", "PolicyArn"),
    DETACH_USER_POLICY(Scope.ONE, Kind.USER, "AttachPolicy", "PolicyArn"),
    DETACH_GROUP_POLICY(Scope.ONE, Kind.GROUP, "AttachPolicy", "PolicyArn"),
    DETACH_ROLE_POLICY(Scope.ONE, Kind.ROLE, "AttachPolicy", "PolicyArn"),
    LIST_ATTACHED_USER_POLICIES(
            Scope.ONE, Kind.USER, "ListUsers", "PathPrefix", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_ATTACHED_GROUP_POLICIES(
            Scope.ONE, Kind.GROUP, "ListGroups", "PathPrefix", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_ATTACHED_ROLE_POLICIES(
            Scope.ONE, Kind.ROLE, "ListRoles", "PathPrefix", IamPage.MARKER, IamPage.MAX_ITEMS),

    CREATE_POLICY(Scope.NEW, "PutPolicy", "Path", "Tags", "PolicyDocument", "Description"),
    GET_POLICY(Scope.ONE, "ListPolicies"),
    LIST_POLICIES(Scope.ALL, "ListPolicies", "Scope", "OnlyAttached", "PolicyUsageFilter"),
    DELETE_POLICY(Scope.ONE, "DeletePolicy"),
    TAG_POLICY(Scope.ONE, "PutPolicy", "Tags"),
    UNTAG_POLICY(Scope.ONE, "PutPolicy", "TagKeys"),
    LIST_POLICY_TAGS(Scope.ONE, "ListPolicies", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_ENTITIES_FOR_POLICY(
            Scope.ONE,
            "ListPolicies",
            "EntityFilter",
            "PolicyUsageFilter",
            "PathPrefix",
            IamPage.MARKER,
            IamPage.MAX_ITEMS),
    CREATE_POLICY_VERSION(Scope.ONE, "PutPolicy", "PolicyDocument", "SetAsDefault"),
    GET_POLICY_VERSION(Scope.ONE, "ListPolicies", "VersionId"),
    LIST_POLICY_VERSIONS(Scope.ONE, "ListPolicies", IamPage.MARKER, IamPage.MAX_ITEMS),

    GET_ACCOUNT_SUMMARY(Scope.ACCOUNT, "ListUsers"),

    // Of kinds that this server does not have: nobody has one, and tools ask before they delete.
    GET_LOGIN_PROFILE(Scope.ONE, Kind.USER, "ListUsers"),
    DELETE_LOGIN_PROFILE(Scope.ONE, Kind.USER, "CreateUser"),
    LIST_MFA_DEVICES(Scope.SELF, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_SSH_PUBLIC_KEYS(Scope.SELF, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_SIGNING_CERTIFICATES(
            Scope.SELF, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_SERVICE_SPECIFIC_CREDENTIALS(Scope.SELF, Kind.USER, "ListUsers", "ServiceName"),
    LIST_INSTANCE_PROFILES_FOR_ROLE(
            Scope.ONE, Kind.ROLE, "ListRoles", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_VIRTUAL_MFA_DEVICES(
            Scope.ACCOUNT, "ListUsers", "AssignmentStatus", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_ACCOUNT_ALIASES(Scope.ACCOUNT, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    LIST_OPEN_ID_CONNECT_PROVIDERS(Scope.ACCOUNT, "ListUsers"),
    GET_OPEN_ID_CONNECT_PROVIDER(Scope.ACCOUNT, "ListUsers", "OpenIDConnectProviderArn"),
    CREATE_OPEN_ID_CONNECT_PROVIDER(
            Scope.ACCOUNT, "CreateRole", "Url", "ClientIDList", "ThumbprintList", "Tags"),
    DELETE_OPEN_ID_CONNECT_PROVIDER(Scope.ACCOUNT, "CreateRole", "OpenIDConnectProviderArn"),
    LIST_SAML_PROVIDERS(Scope.ACCOUNT, "ListUsers");

    private static final Map<String, IamAction> BY_TITLE = new HashMap<>();

    static {
        for (IamAction each : values()) {
            BY_TITLE.put(each.title, each);
        }
    }

    /** The resources of an action. */
    enum Scope {
        /** One that does not exist yet. */
        NEW,
        /** One that the request names. */
        ONE,
        /** A user; the caller when the request names none. */
        SELF,
        /** All of a kind, with a prefix of their path. */
        ALL,
        /** The account as a whole. */
        ACCOUNT
    }

    private final String title =
            About.name(this)
                    .replace("Mfa", "MFA")
                    .replace("Ssh", "SSH")
                    .replace("Saml", "SAML")
                    .replace("OpenId", "OpenID");
    private final Scope scope;
    private final Optional<Kind> kind;
    private final String inAdminApi;
    private final Set<String> parameters;

    IamAction(Scope scope, Kind kind, String inAdminApi, String... parameters) {
        this(scope, Optional.of(kind), inAdminApi, parameters);
    }

    IamAction(Scope scope, String inAdminApi, String... parameters) {
        this(scope, Optional.empty(), inAdminApi, parameters);
    }

    IamAction(Scope scope, Optional<Kind> kind, String inAdminApi, String... parameters) {
        this.scope = scope;
        this.kind = kind;
        this.inAdminApi = inAdminApi;
        this.parameters = Set.copyOf(Arrays.asList(parameters));
    }

    static Optional<IamAction> of(String title) {
        return Optional.ofNullable(BY_TITLE.get(title));
    }

    /** Returns the name of the action in requests. */
    String title() {
        return title;
    }

    /** Returns the name of the action in policies. */
    String policyName() {
        return "iam:" + title;
    }

    /** Returns the action in policies that the admin API needs for the same. */
    String adminPolicyName() {
        return "volute:" + inAdminApi;
    }

    Scope scope() {
        return scope;
    }

    /**
     * Returns the kind of the holder that the action is about; empty for a managed policy and for
     * the account.
     */
    Optional<Kind> kind() {
        return kind;
    }

    /** Returns the parameter that names the resource. */
    String nameParameter() {
        return kind.map(each -> IamXml.title(each) + "Name")
                .orElse(scope == Scope.NEW ? "PolicyName" : "PolicyArn");
    }

    /**
     * Returns whether the action takes a parameter.
     *
     * @param name up to the first dot
     */
    boolean takes(String name) {
        return parameters.contains(name)
                || switch (scope) {
                    case ALL ->
                            List.of("PathPrefix", IamPage.MARKER, IamPage.MAX_ITEMS).contains(name);
                    case ACCOUNT -> false;
                    case NEW, ONE, SELF -> name.equals(nameParameter());
                };
    }

    /** Returns whether policies can depend on the permissions boundary of its user or role. */
    boolean hasBoundaryKey() {
        return title.matches(
                "Create(User|Role)"
                        + "|(Put|Delete|Attach|Detach)(User|Role)(Policy|PermissionsBoundary)");
    }

    /** Returns whether the action changes nothing. */
    boolean isRead() {
        return title.startsWith("Get") || title.startsWith("List");
    }

    /** Returns whether the answer has a result besides the id of the request. */
    boolean hasResult() {
        return isRead()
                || title.startsWith("Create")
                || this == UPDATE_ROLE
                || this == UPDATE_ROLE_DESCRIPTION;
    }
}
