package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests users, keys, groups, roles and policies: changes, listings, durability and permissions. */
class IdentityRoutesTest extends AdminTestCase {
    private static final String V1 = "/_volute/v1/";
    private static final String TRUST =
            "{'Statement':{'Effect':'Allow','Principal':'*','Action':'sts:AssumeRole'}}"
                    .replace("'", "\\\"");
    private static final String ADMINISTER =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":[\"volute:ListUsers\","
                    + "\"volute:CreateUser\"],\"Resource\":\"*\"}}";

    private Map<String, Object> post(String path, Map<String, ?> asked) throws IOException {
        Answer answer = bed.post(V1 + path, asked);
        assertThat(answer.status()).as(answer.document().toString()).isEqualTo(200);
        return answer.document();
    }

    private String code(String path, Map<String, ?> asked) throws IOException {
        return bed.post(V1 + path, asked).code();
    }

    private RequestSigner keyOf(String user) throws IOException {
        Map<String, Object> key = post("keys", Map.of("user", user));
        return new RequestSigner(
                (String) key.get("accessKey"), (String) key.get("secretKey"), "us-east-1");
    }

    private Answer users(RequestSigner who) throws IOException {
        return bed.send(who, "GET", V1 + "users", "");
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> only(String list) throws IOException {
        List<Object> all = (List<Object>) bed.get(V1 + list, Map.of()).document().get(list);
        assertThat(all).hasSize(1);
        return (Map<String, Object>) all.getFirst();
    }

    @Test
    void aUserMayDoWhatHisPoliciesAllow() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        assertThat(
                        bed.put(V1 + "policies", Map.of("name", "admins", "document", ADMINISTER))
                                .status())
                .isEqualTo(200);
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", true));
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(bed.send(carol, "GET", V1 + "groups", "").code()).isEqualTo("AccessDenied");
        assertThat(code("policies/remove", Map.of("name", "admins"))).isEqualTo("DeleteConflict");
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", false));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("policies/remove", Map.of("name", "admins"));
    }

    @Test
    void membersHaveThePoliciesOfTheirGroups() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        post("groups", Map.of("name", "ops"));
        assertThat(
                        bed.put(
                                        V1 + "policies/inline",
                                        Map.of(
                                                "group", "ops",
                                                "policy", "admin",
                                                "document", ADMINISTER))
                                .status())
                .isEqualTo(200);
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", true));
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(only("users").toString()).contains("groups=[ops]");
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", false));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
    }

    @Test
    void keysAreShownOnceAndCanBeTakenAway() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        String key = only("users").get("keys").toString();
        assertThat(key).contains("active=true").doesNotContain("secret");
        String accessKey = key.replaceAll(".*accessKey=(\\w+).*", "$1");
        post("keys/state", Map.of("accessKey", accessKey, "active", false));
        assertThat(users(carol).code()).isEqualTo("InvalidAccessKeyId");
        post("keys/state", Map.of("accessKey", accessKey, "active", true));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("keys/remove", Map.of("accessKey", accessKey));
        assertThat(users(carol).code()).isEqualTo("InvalidAccessKeyId");
    }

    @Test
    void whoIsRemovedLeavesNothingBehind() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner before = keyOf("carol");
        post("groups", Map.of("name", "ops"));
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", true));
        post("users/remove", Map.of("name", "carol"));
        assertThat(users(before).code()).isEqualTo("InvalidAccessKeyId");
        post("users", Map.of("name", "carol"));
        assertThat(users(before).code()).isEqualTo("InvalidAccessKeyId");
        assertThat(only("groups").get("members")).isEqualTo(List.of());
    }

    @Test
    void allOfItOutlivesARestart() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        bed.put(V1 + "policies", Map.of("name", "admins", "document", ADMINISTER));
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", true));
        bed.close();
        bed = new AdminTestBed(directory);
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(only("policies")).containsEntry("document", ADMINISTER);
    }

    /** A reader of the disk has the rows, but not the master key. */
    @Test
    void secretsAreNotKeptInClear() throws IOException {
        post("users", Map.of("name", "carol"));
        Map<String, Object> key = post("keys", Map.of("user", "carol"));
        String secret = (String) key.get("secretKey");
        assertThat(bed.people.identities().keysOf("carol").getFirst().sealed())
                .doesNotContain(secret);
        assertThat(bed.get(V1 + "identity-changes", Map.of()).document().toString())
                .contains((String) key.get("accessKey"))
                .doesNotContain(secret);
    }

    @Test
    void everyChangeIsTold() throws IOException {
        post("users", Map.of("name", "carol"));
        post("users/remove", Map.of("name", "carol"));
        Answer first = bed.get(V1 + "identity-changes", Map.of("max", "1"));
        assertThat(first.document().toString())
                .contains("deed=CreateUser")
                .contains("subject=user/carol")
                .contains("principal=root")
                .contains("time=2026-11-21T10:00:00Z");
        Answer second =
                bed.get(
                        V1 + "identity-changes",
                        Map.of("from", (String) first.document().get("next")));
        assertThat(second.document().toString())
                .contains("deed=Delete")
                .doesNotContain("CreateUser");
        assertThat(second.document()).doesNotContainKey("next");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "users|{'name':'alice'}|EntityAlreadyExists",
                "users|{'name':'root'}|EntityAlreadyExists",
                "users|{'name':'carol'}|EntityAlreadyExists",
                "users|{'name':'Root'}|EntityAlreadyExists",
                "users|{'name':'anonymous'}|EntityAlreadyExists",
                "groups|{'name':'root'}|EntityAlreadyExists",
                "groups|{'name':'Anonymous'}|EntityAlreadyExists",
                "roles|{'name':'root','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'ROOT','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'anonymous','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'alice','trust':'TRUST'}|EntityAlreadyExists",
                "users|{'name':'a/b'}|InvalidRequest",
                "users/remove|{'name':'nobody'}|NoSuchEntity",
                "keys|{'user':'nobody'}|NoSuchEntity",
                "keys|{'user':'alice'}|NoSuchEntity",
                "keys/remove|{'accessKey':'none'}|NoSuchEntity",
                "groups/members|{'group':'none','user':'carol','member':true}|NoSuchEntity",
                "policies/attach|{'policy':'none','user':'carol','attached':true}|NoSuchEntity",
                "policies/attach|{'policy':'none','attached':true}|InvalidRequest",
                "roles|{'name':'r','trust':'{}'}|MalformedPolicyDocument",
            })
    void whatCannotBeIsRefused(String path, String asked, String code) throws IOException {
        post("users", Map.of("name", "carol"));
        Map<String, Object> document =
                Json.read(
                        asked.replace('\'', '"')
                                .replace("TRUST", TRUST)
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(code(path, document)).isEqualTo(code);
    }

    @Test
    void aPolicyThatIsNoneIsRefused() throws IOException {
        Answer answer =
                bed.put(
                        V1 + "policies",
                        Map.of(
                                "name",
                                "p",
                                "document",
                                Map.of("Statement", Map.of("Effect", "Allow"))));
        assertThat(answer.code()).isEqualTo("MalformedPolicyDocument");
        assertThat(answer.message()).contains("Missing required field Action");
    }

    @Test
    void usersOfTheConfigurationHaveNoPartInThis() throws IOException {
        assertThat(users(AdminTestBed.ALICE).code()).isEqualTo("AccessDenied");
    }
}
