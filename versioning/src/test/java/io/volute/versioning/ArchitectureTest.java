package io.volute.versioning;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the object store may use. Think hard before changing this. */
@AnalyzeClasses(packages = "io.volute", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule knowsNothingAbove =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.versioning..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.volute.server..",
                            "io.volute.admin..",
                            "io.netty..",
                            "javax.xml..",
                            "org.rocksdb..",
                            "java.nio.channels..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule usesTheStorageCoreByItsRootPackage =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.versioning..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.volute.storage.log..",
                            "io.volute.storage.index..",
                            "io.volute.storage.cube..",
                            "io.volute.storage.format..",
                            "io.volute.storage.io..")
                    .allowEmptyShould(true);
}
