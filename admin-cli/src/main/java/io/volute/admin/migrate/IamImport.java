package io.volute.admin.migrate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.migrate.ImportReport.Problem;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.IdentityApi.AttachRequest;
import io.volute.adminapi.IdentityApi.CreateKeyRequest;
import io.volute.adminapi.IdentityApi.Group;
import io.volute.adminapi.IdentityApi.KeyName;
import io.volute.adminapi.IdentityApi.KeyState;
import io.volute.adminapi.IdentityApi.MemberRequest;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.Policy;
import io.volute.adminapi.IdentityApi.PutPolicyRequest;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes the users, groups and policies of another store here. Existing ones stay as they are. */
final class IamImport {
    private final AdminClient client;
    private final ImportReport report;
    private final KeyPairs keys;

    /**
     * @param keys receives each new access key at once; nothing else has its secret
     */
    IamImport(AdminClient client, ImportReport report, KeyPairs keys) {
        this.client = client;
        this.report = report;
        this.keys = keys;
    }

    /** Imports all identities. */
    void run(MinioIam found) throws IOException, InterruptedException {
        Set<String> policies =
                client.all(Routes.LIST_POLICIES).stream()
                        .map(Policy::name)
                        .collect(Collectors.toSet());
        for (var each : found.policies().entrySet()) {
            if (!policies.contains(each.getKey())) {
                policy(each.getKey(), each.getValue());
            }
        }
        users(found);
        groups(found);
    }

    private void policy(String name, MinioPolicy policy) throws IOException, InterruptedException {
        String what = "policy " + name;
        if (!policy.leftOut().isEmpty()) {
            String said =
                    what
                            + (policy.document().isEmpty() ? " is not about S3: " : ": left out ")
                            + String.join("; ", policy.leftOut());
            report.problem(new Problem("", "", "", said));
        }
        if (policy.document().isPresent()) {
            byte[] text = AdminJson.write(policy.document().get());
            ask(
                    what,
                    Routes.PUT_POLICY,
                    new PutPolicyRequest(name, new String(text, StandardCharsets.UTF_8)));
        }
    }

    private void users(MinioIam found) throws IOException, InterruptedException {
        Set<String> there =
                client.all(Routes.LIST_USERS).stream().map(User::name).collect(Collectors.toSet());
        for (var each : found.users().entrySet()) {
            String name = each.getKey();
            if (there.contains(name)) {
                continue;
            }
            // A user without the new key would be left out by the next run.
            keys.open();
            if (!ask("user " + name, Routes.CREATE_USER, new Name(name))) {
                continue;
            }
            for (String policy : found.userPolicies().getOrDefault(name, List.of())) {
                attach("user " + name, policy, Optional.of(name), Optional.empty());
            }
            key(name, name, each.getValue());
            for (var account : found.serviceAccounts().entrySet()) {
                if (account.getValue().equals(name)) {
                    key(name, account.getKey(), each.getValue());
                }
            }
        }
    }

    /** Makes a new key in place of one of the source. */
    private void key(String user, String old, boolean isActive)
            throws IOException, InterruptedException {
        try {
            NewKey key = client.ask(Routes.CREATE_KEY, new CreateKeyRequest(user)).value();
            keep(new KeyPairs.Pair(user, old, key.accessKey(), key.secretKey(), isActive));
            if (!isActive) {
                client.ask(Routes.SET_KEY, new KeyState(key.accessKey(), false));
            }
        } catch (AdminClient.RefusedException e) {
            problem("access key " + old + " of user " + user, e);
        }
    }

    /** Keeps a pair. A key whose secret cannot be kept is removed again. */
    private void keep(KeyPairs.Pair pair) throws IOException, InterruptedException {
        try {
            keys.add(pair);
        } catch (IOException e) {
            client.ask(Routes.DELETE_KEY, new KeyName(pair.accessKey()));
            throw new IOException(
                    "cannot write "
                            + keys.path()
                            + ": "
                            + e.getMessage()
                            + ". The new key for "
                            + pair.oldAccessKey()
                            + " of user "
                            + pair.user()
                            + " was removed again; make one with: volute key add "
                            + pair.user(),
                    e);
        }
    }

    private void groups(MinioIam found) throws IOException, InterruptedException {
        Set<String> there =
                client.all(Routes.LIST_GROUPS).stream()
                        .map(Group::name)
                        .collect(Collectors.toSet());
        for (var each : found.groups().entrySet()) {
            String name = each.getKey();
            if (there.contains(name)
                    || !ask("group " + name, Routes.CREATE_GROUP, new Name(name))) {
                continue;
            }
            for (String member : each.getValue()) {
                ask(
                        "member " + member + " of group " + name,
                        Routes.SET_MEMBER,
                        new MemberRequest(name, member, true));
            }
            for (String policy : found.groupPolicies().getOrDefault(name, List.of())) {
                attach("group " + name, policy, Optional.empty(), Optional.of(name));
            }
        }
    }

    private void attach(String holder, String policy, Optional<String> user, Optional<String> group)
            throws IOException, InterruptedException {
        ask(
                "policy " + policy + " of " + holder,
                Routes.ATTACH_POLICY,
                new AttachRequest(policy, user, group, Optional.empty(), true));
    }

    /** Returns whether the server has done it; reports why not. */
    private <Q extends Record> boolean ask(String what, Route<Q, ?> route, Q request)
            throws IOException, InterruptedException {
        try {
            client.ask(route, request);
            return true;
        } catch (AdminClient.RefusedException e) {
            problem(what, e);
            return false;
        }
    }

    private void problem(String what, IOException e) {
        report.problem(new Problem("", "", "", what + ": " + e.getMessage()));
    }
}
