package io.volute.server.auth.policy;

import io.volute.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parses policies strictly. Unknown elements are refused, because their author relies on their
 * protection (IAM User Guide, "Grammar of the IAM JSON policy language").
 */
final class PolicyParser {
    private static final String NEWER = "2012-10-17";
    private static final Set<String> VERSIONS = Set.of(NEWER, "2008-10-17");
    private static final Set<String> SERVICES = Set.of("s3", "iam", "sts", "kms", "volute");
    private static final Set<String> ASSUMING =
            Set.of("sts:AssumeRole", "sts:AssumeRoleWithWebIdentity", "sts:TagSession");
    private static final Set<String> POLICY_ELEMENTS = Set.of("Version", "Id", "Statement");

    private static final Set<String> STATEMENT_ELEMENTS =
            Set.of(
                    "Sid",
                    "Effect",
                    "Principal",
                    "NotPrincipal",
                    "Action",
                    "NotAction",
                    "Resource",
                    "NotResource",
                    "Condition");

    /** The form of a policy: the holder decides which elements are required. */
    sealed interface Form {}

    /**
     * The form of a bucket policy: it names principals, and resources within the bucket.
     *
     * @param isNew it is being set, so each of its actions must have an effect
     */
    record BucketForm(String bucket, boolean isNew) implements Form {}

    /** The form of an identity or session policy: it names no principals. */
    record IdentityForm() implements Form {}

    /** The form of a trust policy of a role: it names principals and no resources. */
    record TrustForm() implements Form {}

    private final Form form;

    PolicyParser(Form form) {
        this.form = form;
    }

    Policy parse(String document) {
        Map<String, Object> policy;
        try {
            policy = Json.read(document.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new MalformedPolicyException("This policy is " + e.getMessage());
        }
        refuseUnknown("policy", policy, POLICY_ELEMENTS);
        String version = optionalText("Version", policy).orElse("2008-10-17");
        if (!VERSIONS.contains(version)) {
            throw new MalformedPolicyException(
                    "Version is \"" + NEWER + "\" or \"2008-10-17\", not \"" + version + "\"");
        }
        optionalText("Id", policy);
        List<?> written =
                switch (policy.get("Statement")) {
                    case Map<?, ?> one -> List.of(one);
                    case List<?> several when !several.isEmpty() -> several;
                    case null -> throw missing("Statement");
                    default ->
                            throw new MalformedPolicyException(
                                    "Statement is an object or a list of objects");
                };
        Set<String> sids = new HashSet<>();
        List<Statement> statements = new ArrayList<>();
        for (Object each : written) {
            Map<String, Object> statement = object("Statement", each);
            optionalText("Sid", statement)
                    .filter(sid -> !sid.isEmpty() && !sids.add(sid))
                    .ifPresent(
                            sid -> {
                                throw new MalformedPolicyException(
                                        "two statements have the Sid \"" + sid + "\"");
                            });
            statements.add(statement(statement, version.equals(NEWER)));
        }
        return new Policy(statements);
    }

    private Statement statement(Map<String, Object> written, boolean variables) {
        refuseUnknown("statement", written, STATEMENT_ELEMENTS);
        Effect effect =
                switch (optionalText("Effect", written).orElseThrow(() -> missing("Effect"))) {
                    case "Allow" -> Effect.ALLOW;
                    case "Deny" -> Effect.DENY;
                    case String other ->
                            throw new MalformedPolicyException(
                                    "Effect is Allow or Deny, not \"" + other + "\"");
                };
        boolean notActions = isNegated("Action", written);
        List<Glob> actions = new ArrayList<>();
        for (String action : texts(notActions ? "NotAction" : "Action", written)) {
            checkAction(action);
            actions.add(Template.of(action, true, false).alone().orElseThrow());
        }
        Optional<Principals> principals = principals(written);
        boolean notResources = form instanceof TrustForm ? true : isNegated("Resource", written);
        if (effect == Effect.ALLOW && principals.filter(Principals::except).isPresent()) {
            throw new MalformedPolicyException(
                    "Allow with NotPrincipal is not allowed: it would be everyone else, callers"
                            + " without a signature too. Name the allowed callers as Principal");
        }
        List<Template> resources = resources(written, notResources, variables);
        if (form instanceof BucketForm of && of.isNew()) {
            requireEffect(written, notActions ? List.of() : resources, notResources, of.bucket());
        }
        return new Statement(
                effect,
                principals,
                actions,
                notActions,
                resources,
                notResources,
                conditions(written, variables));
    }

    /**
     * Requires that each action is one of S3, and that a resource of the statement fits each.
     *
     * @param fitting resources that the actions must fit; empty when they need not
     */
    private static void requireEffect(
            Map<String, Object> written,
            List<Template> fitting,
            boolean notResources,
            String bucket) {
        if (texts(notResources ? "NotResource" : "Resource", written).contains("*")) {
            throw new MalformedPolicyException(
                    "Policy has invalid resource: \"*\" in a policy of a bucket; name the bucket");
        }
        boolean isOpen = notResources || fitting.isEmpty();
        boolean isOfBucket = isOpen || fitting.stream().anyMatch(each -> isBucket(each, bucket));
        boolean isOfObjects = isOpen || fitting.stream().anyMatch(each -> areObjects(each, bucket));
        for (String action :
                texts(written.containsKey("Action") ? "Action" : "NotAction", written)) {
            Set<Action.Subject> subjects = Action.subjects(action);
            if (subjects.isEmpty()) {
                throw new MalformedPolicyException(
                        "Policy has invalid action: S3 has no action \"" + action + "\"");
            }
            boolean fits =
                    isOpen
                            || isOfBucket && subjects.contains(Action.Subject.BUCKET)
                            || isOfObjects && subjects.contains(Action.Subject.OBJECT);
            if (!fits) {
                throw new MalformedPolicyException(
                        "Action does not apply to any resource(s) in statement: \""
                                + action
                                + "\"; arn:aws:s3:::"
                                + bucket
                                + " is the bucket, and arn:aws:s3:::"
                                + bucket
                                + "/* its objects");
            }
        }
    }

    private void checkAction(String action) {
        int colon = action.indexOf(':');
        String service = colon < 0 ? "" : action.substring(0, colon);
        boolean known =
                action.equals("*") || SERVICES.contains(service) && colon < action.length() - 1;
        if (form instanceof BucketForm && !action.equals("*")) {
            known &= service.equals("s3");
        }
        if (form instanceof TrustForm) {
            known = ASSUMING.contains(action);
        }
        if (!known) {
            throw new MalformedPolicyException(
                    "Policy has invalid action: \""
                            + action
                            + "\" is neither * nor begins with "
                            + switch (form) {
                                case BucketForm bucket -> "s3:";
                                case IdentityForm identity -> "s3:, iam:, sts:, kms: or volute:";
                                case TrustForm trust ->
                                        "sts:AssumeRole, sts:AssumeRoleWithWebIdentity or"
                                                + " sts:TagSession";
                            });
        }
    }

    private Optional<Principals> principals(Map<String, Object> written) {
        boolean named = written.containsKey("Principal") || written.containsKey("NotPrincipal");
        if (form instanceof IdentityForm) {
            if (named) {
                throw new MalformedPolicyException(
                        "a policy of a user, group or session names no Principal: it is about who"
                                + " has it");
            }
            return Optional.empty();
        }
        boolean except = isNegated("Principal", written);
        Object value = written.get(except ? "NotPrincipal" : "Principal");
        if ("*".equals(value)) {
            return Optional.of(
                    Principals.of(except, List.of("*"), List.of(), List.of(), List.of()));
        }
        Map<String, Object> kinds = object("Principal", value);
        for (String kind : kinds.keySet()) {
            boolean known =
                    kind.equals("AWS")
                            || kind.equals("CanonicalUser")
                            || form instanceof TrustForm && kind.equals("Federated")
                            || form instanceof BucketForm && kind.equals("Service");
            if (!known) {
                throw new MalformedPolicyException(
                        "Invalid principal in policy: \""
                                + kind
                                + "\"; this server knows AWS and CanonicalUser, Federated in"
                                + " trust policies, and Service in policies of buckets");
            }
        }
        if (kinds.isEmpty()) {
            throw new MalformedPolicyException("Invalid principal in policy: it is empty");
        }
        return Optional.of(
                Principals.of(
                        except,
                        named("AWS", kinds),
                        named("CanonicalUser", kinds),
                        named("Federated", kinds),
                        named("Service", kinds)));
    }

    private static List<String> named(String kind, Map<String, Object> kinds) {
        return kinds.containsKey(kind) ? texts(kind, kinds) : List.of();
    }

    private List<Template> resources(
            Map<String, Object> written, boolean negated, boolean variables) {
        if (form instanceof TrustForm) {
            if (written.containsKey("Resource") || written.containsKey("NotResource")) {
                throw new MalformedPolicyException(
                        "a trust policy names no Resource: it is about its role");
            }
            return List.of();
        }
        List<Template> resources = new ArrayList<>();
        for (String text : texts(negated ? "NotResource" : "Resource", written)) {
            Template template = Template.of(withAccount(text), true, variables);
            if (!text.equals("*") && !text.startsWith("arn:")) {
                throw new MalformedPolicyException(
                        "Policy has invalid resource: \"" + text + "\" is neither * nor an ARN");
            }
            if (form instanceof BucketForm of && !concerns(template, of.bucket())) {
                throw new MalformedPolicyException(
                        "Policy has invalid resource: \""
                                + text
                                + "\" is neither arn:aws:s3:::"
                                + of.bucket()
                                + " nor begins with arn:aws:s3:::"
                                + of.bucket()
                                + "/");
            }
            resources.add(template);
        }
        return resources;
    }

    /** Returns the ARN with the account that policies may leave out. */
    private static String withAccount(String arn) {
        String begin = "arn:aws:iam:::";
        return arn.startsWith(begin) ? Principal.arn("", "", arn.substring(begin.length())) : arn;
    }

    private static boolean concerns(Template template, String bucket) {
        return isBucket(template, bucket) || areObjects(template, bucket);
    }

    /** Returns whether a resource can be the bucket itself. A variable may stand for anything. */
    private static boolean isBucket(Template template, String bucket) {
        MatchingBudget budget = new MatchingBudget();
        return template.alone()
                .map(glob -> glob.matches(Glob.points("arn:aws:s3:::" + bucket, budget), budget))
                .orElse(true);
    }

    /** Returns whether a resource can be an object of the bucket. */
    private static boolean areObjects(Template template, String bucket) {
        return template.alone()
                .map(glob -> glob.canBeginWith("arn:aws:s3:::" + bucket + "/"))
                .orElse(true);
    }

    private static List<Condition> conditions(Map<String, Object> written, boolean variables) {
        List<Condition> conditions = new ArrayList<>();
        if (written.containsKey("Condition")) {
            object("Condition", written.get("Condition"))
                    .forEach(
                            (operator, keys) ->
                                    object(operator, keys)
                                            .forEach(
                                                    (key, value) ->
                                                            conditions.add(
                                                                    Condition.of(
                                                                            operator,
                                                                            key,
                                                                            values(key, value),
                                                                            variables))));
        }
        return conditions;
    }

    private static List<String> values(String key, Object value) {
        List<?> several = value instanceof List<?> list ? list : Arrays.asList(value);
        List<String> texts = new ArrayList<>();
        for (Object each : several) {
            if (!(each instanceof String || each instanceof Number || each instanceof Boolean)) {
                throw new MalformedPolicyException(
                        "the condition of " + key + " has a value that is no text");
            }
            texts.add(String.valueOf(each));
        }
        return texts;
    }

    private static boolean isNegated(String element, Map<String, Object> written) {
        boolean plain = written.containsKey(element);
        boolean negated = written.containsKey("Not" + element);
        if (plain == negated) {
            throw new MalformedPolicyException(
                    plain
                            ? "a statement has either " + element + " or Not" + element
                            : "Missing required field " + element);
        }
        return negated;
    }

    private static MalformedPolicyException missing(String element) {
        return new MalformedPolicyException("Missing required field " + element);
    }

    private static void refuseUnknown(String what, Map<String, Object> map, Set<String> known) {
        for (String name : map.keySet()) {
            if (!known.contains(name)) {
                throw new MalformedPolicyException(
                        "Unknown field " + name + ": a " + what + " has none of that name");
            }
        }
    }

    private static Map<String, Object> object(String name, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new MalformedPolicyException(name + " is an object");
        }
        Map<String, Object> object = new LinkedHashMap<>();
        map.forEach((key, inner) -> object.put(String.valueOf(key), inner));
        return object;
    }

    private static Optional<String> optionalText(String name, Map<String, Object> map) {
        if (!map.containsKey(name)) {
            return Optional.empty();
        }
        if (map.get(name) instanceof String text) {
            return Optional.of(text);
        }
        throw new MalformedPolicyException(name + " is a text");
    }

    private static List<String> texts(String name, Map<String, Object> map) {
        List<?> several = map.get(name) instanceof List<?> list ? list : List.of(map.get(name));
        List<String> texts = new ArrayList<>();
        for (Object each : several) {
            if (!(each instanceof String text)) {
                throw new MalformedPolicyException(name + " is a text or a list of texts");
            }
            texts.add(text);
        }
        if (texts.isEmpty()) {
            throw new MalformedPolicyException(name + " is an empty list");
        }
        return texts;
    }
}
