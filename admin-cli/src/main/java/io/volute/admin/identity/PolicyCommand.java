package io.volute.admin.identity;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Policies of users, groups and roles. */
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        description = {
            "Lists, shows, sets and removes policies, and says who has them.",
            "Policies of buckets are set with: aws s3api put-bucket-policy"
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class PolicyCommand implements Callable<Integer> {
    private static final String PATH = "/_volute/v1/policies";

    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    /** The identity that a policy is attached to. */
    static final class Holder {
        @Option(names = "--user", paramLabel = "NAME", description = "A user.")
        private String user;

        @Option(names = "--group", paramLabel = "NAME", description = "A group.")
        private String group;

        @Option(names = "--role", paramLabel = "NAME", description = "A role.")
        private String role;

        private String kind() {
            return user != null ? "user" : group != null ? "group" : "role";
        }

        private String name() {
            return user != null ? user : group != null ? group : role;
        }
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the policies.")
    Integer list() throws InterruptedException {
        Table table =
                new Table(
                        new Column("NAME", policy -> AnswerFormat.text(policy, "name")),
                        new Column("CHANGED", policy -> AnswerFormat.text(policy, "changed")));
        return IdentityAnswers.list(server, PATH, "policies", table);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints the document of a policy.")
    Integer show(@Parameters(paramLabel = "NAME", description = "Of the policy.") String name)
            throws InterruptedException {
        return server.run(
                client -> {
                    List<Map<String, Object>> found =
                            AnswerFormat.maps(client.get(PATH), "policies").stream()
                                    .filter(
                                            policy ->
                                                    AnswerFormat.text(policy, "name").equals(name))
                                    .toList();
                    if (found.isEmpty()) {
                        throw new AdminClient.RefusedException("there is no policy " + name);
                    }
                    return server.done(
                            found.getFirst(), AnswerFormat.text(found.getFirst(), "document"));
                });
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description = "Adds a policy, or replaces it for all who have it.")
    Integer put(
            @Parameters(paramLabel = "NAME", description = "Of the policy.") String name,
            @Parameters(paramLabel = "FILE", description = "Its document, JSON.") Path file)
            throws InterruptedException {
        return server.run(
                client -> {
                    Map<String, Object> answer =
                            client.put(
                                    PATH,
                                    Map.of("name", name, "document", IdentityAnswers.read(file)));
                    return server.done(answer, "policy " + name + " is set");
                });
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a policy that nobody has.")
    Integer remove(@Parameters(paramLabel = "NAME", description = "Of the policy.") String name)
            throws InterruptedException {
        return IdentityAnswers.post(
                server, PATH + "/remove", Map.of("name", name), "removed policy " + name);
    }

    @Command(
            name = "attach",
            mixinStandardHelpOptions = true,
            description = "Gives a policy to a user, group or role.")
    Integer attach(
            @Parameters(paramLabel = "POLICY", description = "The policy.") String policy,
            @ArgGroup(multiplicity = "1") Holder holder)
            throws InterruptedException {
        return set(policy, holder, true, " has policy ");
    }

    @Command(
            name = "detach",
            mixinStandardHelpOptions = true,
            description = "Takes a policy from a user, group or role.")
    Integer detach(
            @Parameters(paramLabel = "POLICY", description = "The policy.") String policy,
            @ArgGroup(multiplicity = "1") Holder holder)
            throws InterruptedException {
        return set(policy, holder, false, " has no policy ");
    }

    private Integer set(String policy, Holder holder, boolean attached, String done)
            throws InterruptedException {
        Map<String, Object> asked = new LinkedHashMap<>();
        asked.put("policy", policy);
        asked.put(holder.kind(), holder.name());
        asked.put("attached", attached);
        return IdentityAnswers.post(
                server,
                PATH + "/attach",
                asked,
                holder.kind() + " " + holder.name() + done + policy);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
