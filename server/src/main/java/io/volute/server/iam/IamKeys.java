package io.volute.server.iam;

import io.volute.server.auth.policy.ConditionKeys;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The condition keys of a call of IAM: those of its request, {@code iam:PolicyARN}, {@code
 * iam:PermissionsBoundary}, the tags of the identity and those that the request names.
 */
record IamKeys(IamRequest request) implements ConditionKeys {
    private static final String REQUEST_TAG = "aws:requesttag/";

    @Override
    public List<String> values(String key) {
        return switch (key) {
            case "iam:policyarn" ->
                    request.get("PolicyArn").map(IamRequest::withAccount).stream().toList();
            case "iam:permissionsboundary" ->
                    request.boundaryArn().filter(arn -> request.action().hasBoundaryKey()).stream()
                            .toList();
            case "aws:tagkeys" -> {
                SortedSet<String> names = new TreeSet<>(request.tags().keySet());
                names.addAll(request.tagKeys());
                yield List.copyOf(names);
            }
            case String name when name.startsWith(REQUEST_TAG) ->
                    ConditionKeys.tag(request.tags(), name);
            case String name when ConditionKeys.isResourceTag(name) ->
                    ConditionKeys.tag(request.existingTags(), name);
            default -> request.call().keys().values(key);
        };
    }
}
