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
    CREATE_USER(Scope.NEW, Kind.USER, "CreateUser", "Path", "Tags"),
    GET_USER(Scope.SELF, Kind.USER, "ListUsers"),
    LIST_USERS(Scope.ALL, Kind.USER, "ListUsers"),
    UPDATE_USER(Scope.ONE, Kind.USER, "CreateUser", "NewPath", "NewUserName"),
    DELETE_USER(Scope.ONE, Kind.USER, "DeleteUser"),
    CREATE_ACCESS_KEY(Scope.SELF, Kind.USER, "CreateKey"),
    LIST_ACCESS_KEYS(Scope.SELF, Kind.USER, "ListUsers", IamPage.MARKER, IamPage.MAX_ITEMS),
    UPDATE_ACCESS_KEY(Scope.SELF, Kind.USER, "SetKey", "AccessKeyId", "Status"),
    DELETE_ACCESS_KEY(Scope.SELF, Kind.USER, "DeleteKey", "AccessKeyId");

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
        ALL
    }

    private final String title = About.name(this);
    private final Scope scope;
    private final Optional<Kind> kind;
    private final String inAdminApi;
    private final Set<String> parameters;

    IamAction(Scope scope, Kind kind, String inAdminApi, String... parameters) {
        this(scope, Optional.of(kind), inAdminApi, parameters);
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

    /** Returns the kind of the holder that the action is about; empty for a managed policy. */
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
                    case NEW, ONE, SELF -> name.equals(nameParameter());
                };
    }

    /** Returns whether the action changes nothing. */
    boolean isRead() {
        return title.startsWith("Get") || title.startsWith("List");
    }

    /** Returns whether the answer has a result besides the id of the request. */
    boolean hasResult() {
        return isRead() || title.startsWith("Create");
    }
}
