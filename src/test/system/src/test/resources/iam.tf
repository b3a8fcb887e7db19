# Users, groups, roles and policies of a Volute server, as Terraform manages those of AWS.
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "endpoint" {}

variable "action" {
  default = "s3:GetObject"
}

provider "aws" {
  region            = "us-east-1"
  s3_use_path_style = true

  endpoints {
    iam = var.endpoint
    s3  = var.endpoint
    sts = var.endpoint
  }

  default_tags {
    tags = {
      owner = "ops"
    }
  }
}

resource "aws_s3_bucket" "data" {
  bucket = "data"
}

resource "aws_iam_user" "carol" {
  name          = "carol"
  path          = "/team/"
  force_destroy = true
}

resource "aws_iam_access_key" "carol" {
  user = aws_iam_user.carol.name
}

resource "aws_iam_policy" "data" {
  name        = "data"
  description = "the objects of the bucket"

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = var.action
      Resource = "${aws_s3_bucket.data.arn}/*"
    }]
  })
}

resource "aws_iam_user_policy_attachment" "carol" {
  user       = aws_iam_user.carol.name
  policy_arn = aws_iam_policy.data.arn
}

resource "aws_iam_group" "readers" {
  name = "readers"
}

resource "aws_iam_group_membership" "readers" {
  name  = "readers"
  group = aws_iam_group.readers.name
  users = [aws_iam_user.carol.name]
}

resource "aws_iam_group_policy_attachment" "readers" {
  group      = aws_iam_group.readers.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
}

resource "aws_iam_role" "backup" {
  name                 = "backup"
  path                 = "/jobs/"
  description          = "with ${var.action}"
  max_session_duration = 7200

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { AWS = aws_iam_user.carol.arn }
    }]
  })
}

resource "aws_iam_role_policy" "backup" {
  name = "all"
  role = aws_iam_role.backup.name

  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "s3:*", Resource = "*" }]
  })
}

resource "aws_iam_role_policy_attachment" "backup" {
  role       = aws_iam_role.backup.name
  policy_arn = aws_iam_policy.data.arn
}

output "access_key" {
  value = aws_iam_access_key.carol.id
}

output "secret_key" {
  value     = aws_iam_access_key.carol.secret
  sensitive = true
}
